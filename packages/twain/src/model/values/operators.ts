// The operators of filters: one record each, and which of them a type has. The SQL of each is in `store/sql/where.ts`.

import type { AccountTime, Field, StoredField, StoredType } from '../model.ts'
import { type Comparison, scalarOf } from './scalars.ts'

export interface Operator {
  /** The comparisons of scalars that have it. */
  comparisons: readonly Comparison[]
  /** Lists of values that can be compared have it too. */
  onLists: boolean
  /** What it compares with: one value, a list of values, a list of the least and the greatest value, or `true` and `false`. */
  operand: 'value' | 'list' | 'range' | 'flag'
  /** The operator that finds the other rows, those without a value included. */
  negation: FilterOperator | null
  /** It reads texts from their beginning to their end, so that long ones take long. */
  scansText: boolean
  /** It compares folded texts: case and accents do not matter. */
  folds: boolean
  /** For descriptions of rules. */
  sign: string
  /** For introspection and OpenAPI. */
  description: string
}

const equality = ['equality', 'order', 'text'] as const
const order = ['order', 'text'] as const
const onValues = { onLists: false, operand: 'value', negation: null, scansText: false, folds: false } as const
const onFolded = { ...onValues, comparisons: ['text'], scansText: true, folds: true } as const

/** In the order of the documents. */
export const operators = {
  eq: {
    ...onValues,
    comparisons: ['flag', ...equality],
    onLists: true,
    negation: 'ne',
    sign: '=',
    description: 'Equals this value.',
  },
  ne: {
    ...onValues,
    comparisons: ['flag', ...equality],
    onLists: true,
    negation: 'eq',
    sign: '≠',
    description: 'Differs from this value, or is null.',
  },
  in: {
    ...onValues,
    comparisons: equality,
    operand: 'list',
    negation: 'notIn',
    sign: 'in',
    description: 'Is one of these values.',
  },
  notIn: {
    ...onValues,
    comparisons: equality,
    operand: 'list',
    negation: 'in',
    sign: 'not in',
    description: 'Is none of these values, or is null.',
  },
  lt: { ...onValues, comparisons: order, sign: '<', description: 'Is less than this value.' },
  lte: { ...onValues, comparisons: order, sign: '≤', description: 'Is less than or equal to this value.' },
  gt: { ...onValues, comparisons: order, sign: '>', description: 'Is greater than this value.' },
  gte: { ...onValues, comparisons: order, sign: '≥', description: 'Is greater than or equal to this value.' },
  between: {
    ...onValues,
    comparisons: order,
    operand: 'range',
    sign: 'between',
    description: 'Is at least the first of these two values, and at most the second.',
  },
  contains: {
    ...onValues,
    comparisons: ['text'],
    onLists: true,
    scansText: true,
    sign: 'contains',
    description: 'Contains this value.',
  },
  startsWith: {
    ...onValues,
    comparisons: ['text'],
    scansText: true,
    sign: 'starts with',
    description: 'Starts with this text.',
  },
  endsWith: {
    ...onValues,
    comparisons: ['text'],
    scansText: true,
    sign: 'ends with',
    description: 'Ends with this text.',
  },
  ieq: { ...onFolded, sign: 'is like', description: 'Equals this text, whatever the case and the accents of both.' },
  icontains: {
    ...onFolded,
    sign: 'contains the like of',
    description: 'Contains this text, whatever the case and the accents of both.',
  },
  istartsWith: {
    ...onFolded,
    sign: 'starts with the like of',
    description: 'Starts with this text, whatever the case and the accents of both.',
  },
  iendsWith: {
    ...onFolded,
    sign: 'ends with the like of',
    description: 'Ends with this text, whatever the case and the accents of both.',
  },
  isNull: {
    ...onValues,
    comparisons: ['none', 'flag', ...equality],
    onLists: true,
    operand: 'flag',
    sign: 'is null',
    description: 'Whether the value is null.',
  },
} as const satisfies Record<string, Omit<Operator, 'negation'> & { negation: string | null }>

export type FilterOperator = keyof typeof operators
/** The operators of conditions in a plan. `isNull` has a condition of its own, and `between` is `gte` and `lte`. */
export type CompareOp = Exclude<FilterOperator, 'isNull' | 'between'>

/** The record as its interface has it. */
export function operatorOf(name: FilterOperator): Operator {
  return operators[name]
}

export function isOperator(name: string): name is FilterOperator {
  return Object.hasOwn(operators, name)
}

/** In the order of the documents. */
export function operatorsOf(type: StoredType): readonly FilterOperator[] {
  if (type.kind === 'list') return isComparable(type.of) ? listOperators : byComparison.none
  return byComparison[comparisonOf(type)]
}

const allOperators = Object.keys(operators) as FilterOperator[]
const listOperators = allOperators.filter((name) => operatorOf(name).onLists)

const having = (comparison: Comparison) =>
  allOperators.filter((name) => operatorOf(name).comparisons.includes(comparison))
const byComparison: Readonly<Record<Comparison, readonly FilterOperator[]>> = {
  none: having('none'),
  flag: having('flag'),
  equality: having('equality'),
  order: having('order'),
  text: having('text'),
}

function comparisonOf(type: Exclude<StoredType, { kind: 'list' }>): Comparison {
  switch (type.kind) {
    case 'scalar':
      return scalarOf(type.name).comparison
    case 'enum':
    case 'custom':
      return 'equality'
    case 'value':
      return 'none'
  }
}

/** Whether values of the type are single and can be equal. */
function isComparable(type: StoredType): boolean {
  return type.kind !== 'list' && comparisonOf(type) !== 'none'
}

/** The type of the operand: `contains` on a list takes one item. */
export function comparedType(operator: FilterOperator, type: StoredType): StoredType {
  return operator === 'contains' && type.kind === 'list' ? type.of : type
}

/** Whether the server sets the time when something happens to an account. Before, it is null. */
export function isAccountTime(auto: StoredField['auto']): auto is AccountTime {
  return auto === 'VERIFY_TIME' || auto === 'LOCK_TIME'
}

export function isOpaque(field: Field): boolean {
  return field.kind === 'stored' && field.isOpaque === true
}

/** Scalars that have an order are sortable, and enums, by their names. */
export function isSortable(field: Field): boolean {
  if (field.kind !== 'stored' || isOpaque(field)) return false
  return field.type.kind === 'enum' || (field.type.kind === 'scalar' && isComparable(field.type))
}

/** The words of a filter of a list, with their descriptions. */
export const listWords = {
  some: 'At least one row matches.',
  none: 'No row matches.',
  every: 'Every row matches, or there is no row.',
} as const
export type ListWord = keyof typeof listWords

export function isListWord(word: string): word is ListWord {
  return Object.hasOwn(listWords, word)
}
