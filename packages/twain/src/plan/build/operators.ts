// Which filter operators fit which type, and what can be sorted by: one table for both doors and the schema.

import type { Field, ScalarName, StoredType } from '#model'
import type { CompareOp } from '../plan.ts'

export type FilterOperator = CompareOp | 'isNull'

/** As both documents, introspection and OpenAPI, say it. */
export const operatorDescriptions: Record<FilterOperator, string> = {
  eq: 'Is this.',
  ne: 'Is not this; also where there is no value.',
  in: 'Is one of these.',
  notIn: 'Is none of these; also where there is no value.',
  lt: 'Is less than this.',
  lte: 'Is this or less.',
  gt: 'Is more than this.',
  gte: 'Is this or more.',
  contains: 'Holds this.',
  startsWith: 'Begins with this.',
  endsWith: 'Ends with this.',
  isNull: 'Whether there is no value.',
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

/** What a field of this type is compared with: `contains` on a list asks for one of its items. */
export function comparedType(operator: string, type: StoredType): StoredType {
  return operator === 'contains' && type.kind === 'list' ? type.of : type
}

/** In the order in which they are shown. */
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

/** By what a page can be ordered: scalars that have an order of their own, and enums by their names. */
export function isSortable(field: Field): boolean {
  if (field.kind !== 'stored') return false
  if (field.type.kind === 'enum') return true
  return field.type.kind === 'scalar' && field.type.name !== 'JSON'
}
