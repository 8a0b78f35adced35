// Which operators each type has in filters, and which fields are sortable: one table for all adapters and schemas.

import type { Field, ScalarName, StoredType } from '#model'
import type { CompareOp } from '../plan.ts'

export type FilterOperator = CompareOp | 'isNull'

/** For introspection and OpenAPI. */
export const operatorDescriptions: Record<FilterOperator, string> = {
  eq: 'Equals this value.',
  ne: 'Differs from this value, or is null.',
  in: 'Is one of these values.',
  notIn: 'Is none of these values, or is null.',
  lt: 'Is less than this value.',
  lte: 'Is less than or equal to this value.',
  gt: 'Is greater than this value.',
  gte: 'Is greater than or equal to this value.',
  contains: 'Contains this value.',
  startsWith: 'Starts with this text.',
  endsWith: 'Ends with this text.',
  isNull: 'Whether the value is null.',
}

const equality = ['eq', 'ne', 'in', 'notIn'] as const
const ordered = [...equality, 'lt', 'lte', 'gt', 'gte'] as const
const text = [...ordered, 'contains', 'startsWith', 'endsWith'] as const

const scalars: Record<ScalarName, readonly CompareOp[]> = {
  Int: ordered,
  Float: ordered,
  String: text,
  Boolean: ['eq', 'ne'],
  ID: ordered,
  DateTime: ordered,
  Date: ordered,
  Decimal: ordered,
  BigInt: ordered,
  JSON: [],
}

/** The type of the operand: `contains` on a list takes one item. */
export function comparedType(operator: string, type: StoredType): StoredType {
  return operator === 'contains' && type.kind === 'list' ? type.of : type
}

/** In the order of the documents. */
export function operatorsOf(type: StoredType): readonly FilterOperator[] {
  return [...comparisons(type), 'isNull']
}

function comparisons(type: StoredType): readonly CompareOp[] {
  switch (type.kind) {
    case 'scalar':
      return scalars[type.name]
    case 'enum':
    case 'custom':
      return equality
    case 'value':
      return []
    case 'list':
      return comparisons(type.of).includes('eq') && type.of.kind !== 'list' ? ['contains', 'eq', 'ne'] : []
  }
}

/** Scalars that have an order are sortable, and enums, by their names. */
export function isSortable(field: Field): boolean {
  if (field.kind !== 'stored') return false
  if (field.type.kind === 'enum') return true
  return field.type.kind === 'scalar' && field.type.name !== 'JSON'
}
