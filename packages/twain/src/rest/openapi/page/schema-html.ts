// A schema in a few words, and its properties as a table.

import { encodeHtml } from '#base'
import type { DocumentView, SchemaView } from './document-view.ts'
import { code, prose, resolve, tableOf } from './html.ts'

/** The type: a link to a schema of the contract, or its words. */
export function typeOf(schema: SchemaView, document: DocumentView): string {
  if (schema.$ref !== undefined) return [link(schema.$ref.split('/').at(-1)!), ...limitsOf(schema)].join(' ')
  const ways = schema.anyOf ?? schema.oneOf
  if (ways !== undefined) return [...new Set(ways.map((way) => typeOf(way, document)))].join(' or ')
  if (schema.allOf !== undefined) return schema.allOf.map((part) => typeOf(part, document)).join(' and ')
  const types = [schema.type ?? 'any'].flat().map((type) => {
    return type === 'array' ? `list of ${typeOf(schema.items ?? {}, document)}` : encodeHtml(type)
  })
  return [types.join(' or '), ...limitsOf(schema)].join(' ')
}

/** What choosing with `fields` gives is told with `fields`. */
function link(name: string): string {
  if (name.endsWith('.choice')) return '<i>chosen fields</i>'
  if (/^filter\.|\.(where|list|connection)$/.test(name)) return code(name)
  return `<a href="#schema-${encodeHtml(name)}">${encodeHtml(name)}</a>`
}

const keywords = [
  'format',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'const',
  'default',
]

function limitsOf(schema: SchemaView): string[] {
  const said = keywords.flatMap((keyword) => {
    const value = schema[keyword]
    if (value === undefined || (schema.format === 'int32' && Math.abs(Number(value)) > 2147483646)) return []
    return [`<small>${keyword} ${code(typeof value === 'string' ? value : JSON.stringify(value))}</small>`]
  })
  return schema.enum === undefined || schema.enum.length > 20
    ? said
    : [`<small>${schema.enum.map((value) => code(String(value))).join(' ')}</small>`, ...said]
}

/** Nothing where it has no properties of its own. */
export function schemaRows(given: SchemaView, document: DocumentView): string {
  const schema = resolve(given, document)
  if (schema.properties === undefined) return schema.oneOf || schema.enum ? `<p>${typeOf(schema, document)}</p>` : ''
  const rows = Object.entries(schema.properties).map(([name, property]) => [
    `${code(name)}${schema.required?.includes(name) ? ' <i>required</i>' : ''}${property.deprecated ? ' <b class="old">deprecated</b>' : ''}`,
    typeOf(property, document),
    prose(property.description),
  ])
  return tableOf(rows)
}
