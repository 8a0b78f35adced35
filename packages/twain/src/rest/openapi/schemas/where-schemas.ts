// The schemas of `?where=`, the filter of GraphQL as JSON: one for each type, list and stored type.

import { unreachable } from '#base'
import {
  type Abstract,
  comparedType,
  type Field,
  type FilterOperator,
  filterMembers,
  isJson,
  isJsonTextOperator,
  isOpaque,
  isView,
  type JsonOperator,
  jsonOperators,
  listWords,
  type Model,
  mayBeAccount,
  operatorOf,
  operatorsOf,
  type Resource,
  rowTypes,
  type StoredType,
  type TypeOperator,
  takesJsonList,
  typeOperators,
  typeWord,
  type ValueType,
} from '#model'
import { namesOf, printType, withAliases } from '#model/names'
import { type NamedSchema, type OpenapiObject, schemaRef } from '../json-parts.ts'
import { storedSchema } from './stored-schema.ts'

export function whereSchemas(model: Model): NamedSchema[] {
  const filters = new Map<string, OpenapiObject>() // of the stored types in use
  const rows = [...rowTypes(model), ...model.system.resources, ...model.abstracts].flatMap((of): NamedSchema[] => {
    const filtered = withAliases([...of.fields.values()].filter((field) => !isOpaque(field)))
    const fields = filtered.map((field) => [field.name, fieldWhere(field, filters, isIdOfRow(field, of))] as const)
    const own = mayBeAccount(of, model) ? { isViewer: { type: 'boolean' } } : {}
    const types = of.kind === 'abstract' ? typeConditions(of) : {}
    return [
      [`${of.name}.where`, conditions(of.name, { ...own, ...Object.fromEntries(fields), ...types })],
      [`${of.name}.list`, listWhere(of.name)],
    ]
  })
  const values = [...model.values, ...model.system.values].map(
    (value): NamedSchema => [`${value.name}.where`, valueWhere(value, filters)],
  )
  return [...rows, ...values, ...filters]
}

/** `_type`, and a filter for each member: the row is of this type, and matches. */
function typeConditions(of: Abstract): OpenapiObject {
  const tests = typeOperators.map((operator) => [operator, typeOperand(of, operator)] as const)
  const members = filterMembers(of).map(({ name, of: member, deprecated }) => {
    const schema = schemaRef(`${member.name}.where`)
    return [name, deprecated === null ? schema : { ...schema, deprecated: true }] as const
  })
  return {
    [typeWord]: { type: 'object', properties: Object.fromEntries(tests), additionalProperties: false },
    ...Object.fromEntries(members),
  }
}

/** The operand of a condition on the type of a row. */
export function typeOperand({ members }: Abstract, operator: TypeOperator): OpenapiObject {
  const name: OpenapiObject = { type: 'string', enum: [...new Set(members.flatMap(namesOf))] }
  return operator === 'in' || operator === 'notIn' ? { type: 'array', items: name } : name
}

function conditions(name: string, fields: OpenapiObject): OpenapiObject {
  const self = schemaRef(`${name}.where`)
  return {
    type: 'object',
    description: `A condition on a ${name}; all members must hold.`,
    properties: {
      and: { type: 'array', items: self },
      or: { type: 'array', items: self },
      not: self,
      isNull: { type: 'boolean' },
      ...fields,
    },
    additionalProperties: false,
  }
}

function listWhere(name: string): OpenapiObject {
  const row = schemaRef(`${name}.where`)
  return {
    type: 'object',
    description: 'A condition on a list: `some` row matches, `none` does, or `every` one does.',
    properties: Object.fromEntries(Object.keys(listWords).map((word) => [word, row])),
    additionalProperties: false,
  }
}

function valueWhere(value: ValueType, filters: Map<string, OpenapiObject>): OpenapiObject {
  const fields = withAliases(value.fields.values()).map(({ name, type }) => [name, storedWhere(type, filters)] as const)
  return conditions(value.name, Object.fromEntries(fields))
}

function fieldWhere(field: Field, filters: Map<string, OpenapiObject>, isRowId: boolean): OpenapiObject {
  switch (field.kind) {
    case 'stored':
      return storedWhere(field.type, filters, isRowId)
    case 'reference':
    case 'inverse':
      return schemaRef(`${field.to.name}.where`)
    case 'many':
    case 'links':
      return schemaRef(`${field.to.name}.list`)
    default:
      return unreachable(field)
  }
}

function storedWhere(type: StoredType, filters: Map<string, OpenapiObject>, isRowId = false): OpenapiObject {
  if (type.kind === 'value') return schemaRef(`${type.value.name}.where`)
  const name = isRowId ? 'filter.ID.row' : `filter.${nameOf(type)}`
  if (!filters.has(name)) {
    const properties = operatorsOf(type).map((operator) => [operator, operandSchema(operator, type, isRowId)] as const)
    const ofPath = isJson(type) ? jsonProperties : {}
    const all = { ...Object.fromEntries(properties), ...ofPath }
    filters.set(name, { type: 'object', properties: all, additionalProperties: false })
  }
  return schemaRef(name)
}

function jsonOperand(word: JsonOperator): OpenapiObject {
  if (isJsonTextOperator(word)) return { type: 'string' }
  const one = { type: ['string', 'number', 'boolean'] }
  return takesJsonList(word) ? { type: 'array', items: one, minItems: 1, maxItems: 1000 } : one
}

const jsonProperties: OpenapiObject = {
  path: { type: 'string', description: 'To a value inside, such as `size.width`: the conditions are about it.' },
  ...Object.fromEntries((Object.keys(jsonOperators) as JsonOperator[]).map((word) => [word, jsonOperand(word)])),
  exists: { type: 'boolean' },
}

function nameOf(type: StoredType): string {
  return type.kind === 'list' ? `${nameOf(type.of)}.list` : printType(type)
}

/** Whether a filter by the field compares ids of rows. Those of a view can have any form. */
export function isIdOfRow({ kind, name }: Field, of: Resource | Abstract): boolean {
  return kind === 'stored' && name === 'id' && !isView(of)
}

/** `in` and `notIn` accept at most 1,000 values, and filters by ids only what can be the id of a row (plan/check). */
export function operandSchema(operator: FilterOperator, type: StoredType, isRowId = false): OpenapiObject {
  const { operand } = operatorOf(operator)
  if (operand === 'flag') return { type: 'boolean' }
  if (operand === 'list') {
    return { type: 'array', items: isRowId ? anyRowId(true) : storedSchema(type, 'write'), maxItems: 1000 }
  }
  if (isRowId && (operator === 'eq' || operator === 'ne')) return anyRowId(false)
  if (operand === 'range') return { type: 'array', items: storedSchema(type, 'write'), minItems: 2, maxItems: 2 }
  return storedSchema(comparedType(operator, type), 'write')
}

/** Alone or as `Type:id`. */
function anyRowId(mayBeEmpty: boolean): OpenapiObject {
  const pattern = '([A-Za-z_][A-Za-z0-9_]*:)?[A-Za-z0-9_-]{1,64}'
  return { type: 'string', pattern: mayBeEmpty ? `^(${pattern})?$` : `^${pattern}$` }
}
