// Representations as XML (docs/reference/rest.md, R52, R53): one element for each field, `<item>` for each item of a list, and an
// empty element with `nil="true"` for null. request/read-xml.ts reads the same format.

import type { ProblemDocument } from '#base/http'
import type { Abstract, CustomOperation, CustomResultType, Resource, StoredType } from '#model'
import { typeKey } from '../plan/type-key.ts'

type XmlRow = Readonly<Record<string, unknown>>

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

export function rowXml(row: unknown, of: Resource | Abstract): string {
  return `${declaration}${rowElement(of.single, row as XmlRow, of)}\n`
}

export function listXml(rows: unknown, of: Resource | Abstract): string {
  const inner = (rows as (XmlRow | null)[]).map((row) => itemElement(of.single, row, of)).join('')
  return `${declaration}${element(of.list, inner)}\n`
}

export function connectionXml(connection: unknown, of: Resource | Abstract): string {
  const { edges, pageInfo } = connection as { edges: { node: XmlRow; cursor: string }[]; pageInfo: XmlRow }
  const items = edges.map(({ node, cursor }) =>
    element('item', rowElement('node', node, of) + textElement('cursor', cursor)),
  )
  const info = Object.entries(pageInfo).map(([key, value]) => textElement(key, value))
  const inner = element('edges', items.join('')) + element('pageInfo', info.join(''))
  return `${declaration}${element(`${of.single}Connection`, inner)}\n`
}

/** The result of a custom operation: rows have the names of their type, other results the name of the operation. */
export function customResultXml(value: unknown, { name, type }: Pick<CustomOperation, 'name' | 'type'>): string {
  if (type.kind === 'stored') return `${declaration}${typedElement(name, value, type.type)}\n`
  if (value === null) return `${declaration}${nilElement(type.kind === 'rows' ? type.of.list : type.of.single)}\n`
  return type.kind === 'rows' ? listXml(value, type.of) : rowXml(value, type.of)
}

/** The format of RFC 9457, appendix B: items of a list are `<i>`. */
export function problemXml({ errors, ...members }: ProblemDocument): string {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined)
  const list = errors.map((problem) => element('i', Object.entries(problem).map(asText).join('')))
  const inner = [...defined.map(asText), element('errors', list.join(''))].join('')
  return `${declaration}<problem xmlns="urn:ietf:rfc:7807">${inner}</problem>\n`
}

function asText([key, value]: [string, unknown]): string {
  return textElement(key, value)
}

function rowElement(name: string, row: XmlRow, seenAs: Resource | Abstract): string {
  const { fields, computed } = memberOf(row, seenAs)
  let inner = ''
  for (const [key, value] of Object.entries(row)) {
    const field = fields.get(key)
    const computedType = computed.get(key)?.type
    if (value === null) inner += nilElement(key)
    else if (computedType !== undefined) inner += customResultElement(key, value, computedType)
    else if (field === undefined) inner += textElement(key, value)
    else if (field.kind === 'stored') inner += typedElement(key, value, field.type)
    else if (typeof value === 'string') inner += textElement(key, value)
    else if (Array.isArray(value)) {
      inner += element(key, value.map((item) => rowElement('item', item as XmlRow, field.to)).join(''))
    } else inner += rowElement(key, value as XmlRow, field.to)
  }
  return element(name, inner)
}

function customResultElement(name: string, value: unknown, type: CustomResultType): string {
  if (type.kind === 'stored') return typedElement(name, value, type.type)
  if (type.kind === 'row') return rowElement(name, value as XmlRow, type.of)
  return element(name, (value as (XmlRow | null)[]).map((row) => itemElement('item', row, type.of)).join(''))
}

/** Custom code may return ids of rows that do not exist: they are null. */
function itemElement(name: string, row: XmlRow | null, of: Resource | Abstract): string {
  return row === null ? nilElement(name) : rowElement(name, row, of)
}

/** For an interface or union: the type that the row names, or the fields that all members share. */
function memberOf(row: XmlRow, seenAs: Resource | Abstract): Resource | Abstract {
  if (seenAs.kind === 'resource') return seenAs
  const type = row[typeKey(seenAs)]
  return seenAs.members.find(({ name }) => name === type) ?? seenAs
}

function typedElement(name: string, value: unknown, type: StoredType): string {
  if (value === null || value === undefined) return nilElement(name)
  switch (type.kind) {
    case 'list':
      return element(name, (value as unknown[]).map((item) => typedElement('item', item, type.of)).join(''))
    case 'value': {
      const members = Object.entries(value).map(([key, member]) => {
        const field = type.value.fields.get(key)
        return field === undefined ? textElement(key, member) : typedElement(key, member, field.type)
      })
      return element(name, members.join(''))
    }
    case 'custom':
      return textElement(name, JSON.stringify(value))
    case 'scalar':
      return textElement(name, type.name === 'JSON' ? JSON.stringify(value) : value)
    case 'enum':
      return textElement(name, value)
  }
}

function textElement(name: string, value: unknown): string {
  const text = String(value)
  if (!forbiddenCharacter.test(text)) return element(name, escapeText(text))
  return `<${name} encoding="base64">${Buffer.from(text).toString('base64')}</${name}>`
}

function element(name: string, inner: string): string {
  return inner === '' ? `<${name}/>` : `<${name}>${inner}</${name}>`
}

function nilElement(name: string): string {
  return `<${name} nil="true"/>`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 (2.2) excludes them
const forbiddenCharacter = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' }

/** A parser would normalize a plain carriage return to a line feed. */
function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, (mark) => escapes[mark]!)
}
