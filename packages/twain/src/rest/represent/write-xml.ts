// Representations as XML (docs/reference/rest.md, R52, R53): one element for each field, `<item>` for each item of a list, and an
// empty element with `nil="true"` for null. request/read-xml.ts reads the same format.

import { xmlDeclaration, xmlElement, xmlText } from '#base'
import {
  type Abstract,
  type CustomOperation,
  type CustomResultType,
  isAnyJson,
  type Resource,
  type StoredType,
  typeWord,
} from '#model'
import { typeKey } from '../plan/type-key.ts'

type XmlRow = Readonly<Record<string, unknown>>

export function rowXml(row: unknown, of: Resource | Abstract): string {
  return `${xmlDeclaration}${rowElement(of.single, row as XmlRow, of)}\n`
}

export function listXml(rows: unknown, of: Resource | Abstract): string {
  const inner = (rows as (XmlRow | null)[]).map((row) => itemElement(of.single, row, of)).join('')
  return `${xmlDeclaration}${xmlElement(of.list, inner)}\n`
}

export function connectionXml(connection: unknown, of: Resource | Abstract): string {
  const { edges, pageInfo } = connection as { edges: { node: XmlRow; cursor: string }[]; pageInfo: XmlRow }
  const items = edges.map(({ node, cursor }) =>
    xmlElement('item', rowElement('node', node, of) + xmlText('cursor', cursor)),
  )
  const info = Object.entries(pageInfo).map(([key, value]) => xmlText(key, value))
  const inner = xmlElement('edges', items.join('')) + xmlElement('pageInfo', info.join(''))
  return `${xmlDeclaration}${xmlElement(`${of.single}Connection`, inner)}\n`
}

/** The result of a custom operation: rows have the names of their type, other results the name of the operation. */
export function customResultXml(value: unknown, { name, type }: Pick<CustomOperation, 'name' | 'type'>): string {
  if (type.kind === 'stored') return `${xmlDeclaration}${typedElement(name, value, type.type)}\n`
  if (value === null) return `${xmlDeclaration}${nilElement(type.kind === 'rows' ? type.of.list : type.of.single)}\n`
  return type.kind === 'rows' ? listXml(value, type.of) : rowXml(value, type.of)
}

function rowElement(name: string, row: XmlRow, seenAs: Resource | Abstract): string {
  const { fields, computed } = memberOf(row, seenAs)
  let inner = ''
  for (const [key, value] of Object.entries(row)) {
    const field = fields.get(key)
    const computedType = computed.get(key)?.type
    if (value === null) inner += nilElement(key)
    else if (computedType !== undefined) inner += customResultElement(key, value, computedType)
    else if (field === undefined) inner += xmlText(key, value)
    else if (field.kind === 'stored') inner += typedElement(key, value, field.type)
    else if (typeof value === 'string') inner += xmlText(key, value)
    else if (Array.isArray(value)) {
      inner += xmlElement(key, value.map((item) => rowElement('item', item as XmlRow, field.to)).join(''))
    } else inner += rowElement(key, value as XmlRow, field.to)
  }
  return xmlElement(name, inner)
}

function customResultElement(name: string, value: unknown, type: CustomResultType): string {
  if (type.kind === 'stored') return typedElement(name, value, type.type)
  if (type.kind === 'row') return rowElement(name, value as XmlRow, type.of)
  return xmlElement(name, (value as (XmlRow | null)[]).map((row) => itemElement('item', row, type.of)).join(''))
}

/** Custom code may return ids of rows that do not exist: they are null. */
function itemElement(name: string, row: XmlRow | null, of: Resource | Abstract): string {
  return row === null ? nilElement(name) : rowElement(name, row, of)
}

/** For an interface or union: the type that the row names, or one that has all fields of the row. */
function memberOf(row: XmlRow, seenAs: Resource | Abstract): Resource | Abstract {
  if (seenAs.kind === 'resource') return seenAs
  const type = row[typeKey(seenAs)] ?? row[typeWord]
  const keys = Object.keys(row).filter((key) => !seenAs.fields.has(key) && !seenAs.computed.has(key))
  if (type === undefined && keys.length === 0) return seenAs
  const hasAll = ({ fields, computed }: Resource) => keys.every((key) => fields.has(key) || computed.has(key))
  return seenAs.members.find(({ name }) => name === type) ?? seenAs.members.find(hasAll) ?? seenAs
}

function typedElement(name: string, value: unknown, type: StoredType): string {
  if (value === null || value === undefined) return nilElement(name)
  switch (type.kind) {
    case 'list':
      return xmlElement(name, (value as unknown[]).map((item) => typedElement('item', item, type.of)).join(''))
    case 'value': {
      const members = Object.entries(value).map(([key, member]) => {
        const field = type.value.fields.get(key)
        return field === undefined ? xmlText(key, member) : typedElement(key, member, field.type)
      })
      return xmlElement(name, members.join(''))
    }
    case 'custom':
      return xmlText(name, JSON.stringify(value))
    case 'scalar':
      return xmlText(name, isAnyJson(type) ? JSON.stringify(value) : value)
    case 'enum':
      return xmlText(name, value)
  }
}

function nilElement(name: string): string {
  return `<${name} nil="true"/>`
}
