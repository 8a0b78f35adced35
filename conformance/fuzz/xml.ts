// XML as the OpenAPI document describes it: an element for each member, `item`s for a list unless `xml` names another element, null
// as `nil="true"`, and arbitrary JSON as text. Also checks that XML of a reply has the form of its schema.

import { attributeOf, parseXml, type XmlElement } from '../../packages/twain/src/rest/request/parse-xml.ts'
import type { ApiDocument, Schema } from './openapi-document.ts'

export function toXml(value: unknown, unresolved: Schema, document: ApiDocument): string {
  return element(unresolved.xml?.name ?? 'root', value, unresolved, document)
}

function element(name: string, value: unknown, unresolved: Schema, document: ApiDocument): string {
  if (value === null) return `<${name} nil="true"/>`
  const schema = fitting(value, unresolved, document)
  const isUntyped = schema.type === undefined || [schema.type].flat().includes('object')
  const isAny = isUntyped && schema.properties === undefined && schema.enum === undefined
  if (isAny) return text(name, JSON.stringify(value))
  if (typeof value !== 'object') return text(name, String(value))
  const members = Array.isArray(value)
    ? value.map((item) => element(schema.items?.xml?.name ?? 'item', item, schema.items ?? {}, document))
    : Object.entries(value).map(([key, member]) => element(key, member, schema.properties?.[key] ?? plain, document))
  return `<${name}>${members.join('')}</${name}>`
}

const plain: Schema = { type: 'string' }

/** The alternative that fits a value. */
function fitting(value: unknown, unresolved: Schema, document: ApiDocument): Schema {
  const schema = document.schema(unresolved)
  const ways = schema.anyOf ?? schema.oneOf
  if (ways === undefined) return schema
  const isList = Array.isArray(value)
  const known = ways.map((way) => document.schema(way)).filter(({ type }) => type !== 'null')
  return fitting(value, known.find(({ type }) => (type === 'array') === isList) ?? known[0] ?? {}, document)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what XML can't hold
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

function text(name: string, content: string): string {
  if (unwritable.test(content)) {
    return `<${name} encoding="base64">${Buffer.from(content).toString('base64')}</${name}>`
  }
  const marked = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<${name}>${marked.replaceAll('\r', '&#13;')}</${name}>`
}

/** A sentence for a mistake in the form of an answer; null when there is none. */
export function xmlProblem(body: string, schema: Schema, document: ApiDocument): string | null {
  const parsed = parseXml(body)
  if (!parsed.ok) return `the body is no XML: ${parsed.message}`
  const ways = rootsOf(schema, document)
  const way = ways.find(({ xml }) => xml?.name === parsed.root.name)
  if (way === undefined)
    return `the root is <${parsed.root.name}>, not <${ways.map(({ xml }) => xml?.name).join('> or <')}>`
  return formProblem(parsed.root, way, document)
}

/** The named alternatives of a schema. */
function rootsOf(unresolved: Schema, document: ApiDocument): Schema[] {
  if (unresolved.xml?.name !== undefined) return [unresolved]
  const schema = document.schema(unresolved)
  if (schema.xml?.name !== undefined) return [schema]
  return (schema.anyOf ?? schema.oneOf ?? []).flatMap((way) => rootsOf(way, document))
}

function formProblem(root: XmlElement, unresolved: Schema, document: ApiDocument): string | null {
  const ways = waysOf(unresolved, document)
  const problems = ways.map((way) => wayProblem(root, way, document))
  return problems.includes(null) ? null : problems[0]!
}

function waysOf(unresolved: Schema, document: ApiDocument): Schema[] {
  const schema = document.schema(unresolved)
  const ways = schema.anyOf ?? schema.oneOf
  if (ways !== undefined) return ways.flatMap((way) => waysOf(way, document))
  if (schema.allOf === undefined) return [schema]
  const parts = schema.allOf.map((part) => document.schema(part))
  const properties = Object.assign({}, ...parts.map((part) => part.properties)) as Record<string, Schema>
  return [{ type: 'object', properties, required: parts.flatMap(({ required = [] }) => required) }]
}

function wayProblem(element: XmlElement, schema: Schema, document: ApiDocument): string | null {
  const { name, children } = element
  const types = [schema.type ?? 'any'].flat()
  if (attributeOf(element, 'nil') === 'true') {
    return types.includes('null') || types.includes('any') ? null : `<${name}> is null`
  }
  if (types.includes('array') && schema.items !== undefined) {
    const expected = schema.items.xml?.name ?? 'item'
    const other = children.find((child) => child.name !== expected)
    if (other !== undefined && !types.includes('object')) return `<${name}> holds <${other.name}>, not <${expected}>`
    return firstOf(children.map((child) => formProblem(child, schema.items!, document)))
  }
  if (schema.properties !== undefined) {
    const names = children.map((child) => child.name)
    const missing = (schema.required ?? []).find((one) => !names.includes(one))
    if (missing !== undefined) return `<${name}> has no <${missing}>`
    return firstOf(
      children.map((child) => {
        const member = schema.properties![child.name]
        return member === undefined ? `<${name}> holds <${child.name}>` : formProblem(child, member, document)
      }),
    )
  }
  const isLeaf = !types.includes('object') && !types.includes('array')
  return isLeaf && children.length > 0 ? `<${name}> holds elements` : null
}

function firstOf(problems: readonly (string | null)[]): string | null {
  return problems.find((problem) => problem !== null) ?? null
}
