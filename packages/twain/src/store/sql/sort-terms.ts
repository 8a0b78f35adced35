// The SQL by which rows are sorted, and by which a cursor cuts them. Texts in the order for people (`isFolded`) are sorted by their
// keys, then by themselves.
//
// 1. Where a table has both as columns, they are two terms: an index has them in this order.
// 2. Everywhere else one value holds both (`Dialect.rank`): a key that a rule hides on some rows, a key that is computed or is a
//    column of a subquery, a text that is in no table.
// 3. A cursor holds the text alone: the key is computed from it.

import { isFolded, type StoredField } from '#model'
import type { ComparedValue, OrderKey } from '#plan'
import { orderKeyType } from '#plan/build'
import { storageTypeOf } from '../tables/layout.ts'
import { type ColumnKey, isComputed, isComputedNullable } from './order-keys.ts'
import type { SqlRow } from './sql-row.ts'
import type { StatementBuilder } from './statement-builder.ts'
import { storedJson } from './stored-json.ts'
import { compileGuard } from './where.ts'

/** One term, or the key and the text (1). */
export type SortTerms = readonly [string] | readonly [key: string, text: string]

/** The terms of a key that is a column of the row: NULL where the viewer may not read the field. */
export function sortTerms(key: ColumnKey, row: SqlRow, statement: StatementBuilder): SortTerms {
  if (key.kind === 'field' && key.guard === undefined && isFolded(key.field)) {
    const own = row.textKey(key.field)
    if (own !== null) return [own, row.stored(key.field)]
  }
  return [sortValue(key, row, statement)]
}

/** The same as one value (2). */
export function sortValue(key: ColumnKey, row: SqlRow, statement: StatementBuilder): string {
  if (key.kind === 'type') return statement.dialect.typeKey(storageTypeOf(row.layout, row.resource))
  return guardValue(orderedValue(key.field, row, statement), key, row, statement)
}

/** A field's value as one value that is in the field's order. */
export function orderedValue(field: StoredField, row: SqlRow, { dialect }: StatementBuilder): string {
  const value = row.stored(field)
  return isFolded(field) ? dialect.rank(row.textKey(field) ?? dialect.textKey(value), value) : value
}

/** A value made of a key's field: NULL where the viewer may not read the field. */
export function guardValue(
  value: string,
  key: OrderKey & { kind: 'field' },
  row: SqlRow,
  statement: StatementBuilder,
): string {
  const condition = compileGuard(key.guard, row, statement)
  return condition === null ? value : `CASE WHEN ${condition} THEN ${value} END`
}

/** `isKnown`: whether the statement decides already which of the rows are NULL. A text is NULL where its key is. */
export function orderBy(key: OrderKey, [first, second]: SortTerms, isKnown = false): string {
  const leading = `${first} ${key.direction}${isNullable(key) && !isKnown ? ' NULLS LAST' : ''}`
  return second === undefined ? leading : `${leading}, ${second} ${key.direction}`
}

export function isNullable(key: OrderKey): boolean {
  if (isComputed(key)) return isComputedNullable(key)
  return key.kind === 'field' && (!key.field.required || key.guard !== undefined)
}

/** Binds a value of a cursor, to compare it with these terms, or a value of a filter. */
export function bindTerms(
  key: OrderKey,
  parameter: ComparedValue,
  terms: SortTerms,
  near: SqlRow,
  statement: StatementBuilder,
): SortTerms {
  if (terms.length === 1) return [bindValue(key, parameter, near, statement)]
  const column = { kind: 'column', type: orderKeyType(key), codes: near.layout.codes } as const
  return [statement.bind(parameter, { kind: 'textKey' }), statement.bind(parameter, column)]
}

/** The same, to compare it with one value. */
export function bindValue(key: OrderKey, parameter: ComparedValue, near: SqlRow, statement: StatementBuilder): string {
  if (key.kind === 'type') return statement.bind(parameter, { kind: 'plain' })
  if (isRanked(key)) return statement.bind(parameter, { kind: 'rank' })
  return statement.bind(parameter, { kind: 'column', type: orderKeyType(key), codes: near.layout.codes })
}

/** Whether one value of the key holds the key of a text and the text. */
function isRanked(key: OrderKey): boolean {
  return (key.kind === 'field' || key.kind === 'referred') && isFolded(key.field)
}

/** Of one key, or of several that have one direction. */
export function compare(terms: readonly string[], sign: string, bound: readonly string[]): string {
  return terms.length === 1 ? `${terms[0]} ${sign} ${bound[0]}` : `(${terms.join(', ')}) ${sign} (${bound.join(', ')})`
}

/** One condition for each term: SQLite finds these in an index, and not the equality of two rows of values. */
export function isEqual(terms: SortTerms, bound: SortTerms): string {
  return terms.map((term, index) => `${term} = ${bound[index]}`).join(' AND ')
}

/** One value of a key as JSON of the cursor. */
export function sortedJson(key: OrderKey, value: string, near: SqlRow, statement: StatementBuilder): string {
  if (key.kind === 'type') return value
  const stored = isRanked(key) ? statement.dialect.rankedText(value) : value
  return storedJson(orderKeyType(key), stored, statement, near.layout.codes)
}
