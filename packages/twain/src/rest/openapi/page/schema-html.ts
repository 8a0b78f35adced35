// Renders a schema: its type as short text, its properties as a table.

import { encodeHtml } from '#base'
import type { DocumentView, SchemaView } from './document-view.ts'
import { code, prose, resolve, tableOf } from './html.ts'

/** A link to a named schema, or the name of the type with its constraints. */
export function typeOf(schema: SchemaView, document: DocumentView): string {
  if (schema.$ref !== undefined) return [link(schema.$ref.split('/').at(-1)!), ...limitsOf(schema)].join(' ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return [...new Set(choices.map((choice) => typeOf(choice, document)))].join(' or ')
  if (schema.allOf !== undefined) return schema.allOf.map((part) => typeOf(part, document)).join(' and ')
  const types = [schema.type ?? 'any'].flat().map((type) => {
    return type === 'array' ? `list of ${typeOf(schema.items ?? {}, document)}` : encodeHtml(type)
  })
  return [types.join(' or '), ...limitsOf(schema)].join(' ')
}

/** Schemas with chosen fields, filters, pages and groups have no section of their own. */
function link(name: string): string {
  if (name.endsWith('.choice')) return '<i>chosen fields</i>'
  if (/^filter\.|\.(where|list|connection|group|groupKey|groupExtremes)$/.test(name)) return code(name)
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
  const constraints = keywords.flatMap((keyword) => {
    const value = schema[keyword]
    if (value === undefined || (schema.format === 'int32' && Math.abs(Number(value)) > 2147483646)) return []
    return [`<small>${keyword} ${code(typeof value === 'string' ? value : JSON.stringify(value))}</small>`]
  })
  return schema.enum === undefined || schema.enum.length > 20
    ? constraints
    : [`<small>${withoutOpposites(schema.enum).map(code).join(' ')}</small>`, ...constraints]
}

/** Without `-title` beside `title`, the descending order of a sort. */
function withoutOpposites(values: readonly unknown[]): string[] {
  const names = values.map(String)
  return names.filter((name) => !name.startsWith('-') || !names.includes(name.slice(1)))
}

/** Empty for a schema without properties. */
export function schemaRows(reference: SchemaView, document: DocumentView): string {
  const schema = resolve(reference, document)
  if (schema.properties === undefined) return schema.oneOf || schema.enum ? `<p>${typeOf(schema, document)}</p>` : ''
  const rows = Object.entries(schema.properties).map(([name, property]) => [
    `${code(name)}${schema.required?.includes(name) ? ' <i>required</i>' : ''}${property.deprecated ? ' <b class="old">deprecated</b>' : ''}`,
    typeOf(property, document),
    prose(property.description),
  ])
  return tableOf(rows)
}
