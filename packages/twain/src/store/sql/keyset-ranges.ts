// The ranges that a page reads: one for the last keys that are never NULL and have one direction, one for each key before them, and one
// for the NULLs of each. Each range is one seek in an index; one OR over all keys would scan the table.

import type { PageRead, Parameter } from '#plan'
import { orderKeyType } from '#plan/build'
import { fixedValue } from './index-order.ts'
import type { ColumnKey } from './order-keys.ts'
import { bindTerms, compare, isEqual, isNullable, type SortTerms, sortTerms } from './sort-terms.ts'
import type { SqlRow } from './sql-row.ts'
import type { StatementBuilder } from './statement-builder.ts'

/** Rows that are contiguous in the order of the page. */
export interface KeysetRange {
  on: string | null
  /** For so many keys, from the first on, the condition decides whether they are NULL. */
  known: number
}

/** All rows; those whose first key is NULL are a range of their own where the database would sort otherwise. */
export function wholeRanges(order: readonly ColumnKey[], row: SqlRow, statement: StatementBuilder): KeysetRange[] {
  const [first] = order
  const isApart = statement.dialect.separatesNulls && first?.direction === 'DESC' && isNullable(first)
  if (!isApart || (first.kind === 'field' && first.guard !== undefined)) return [{ on: null, known: 0 }]
  const [key] = sortTerms(first, row, statement)
  return [
    { on: `${key} IS NOT NULL`, known: 1 },
    { on: `${key} IS NULL`, known: 1 },
  ]
}

/** The ranges after the cursor, in the order of the page. */
export function compileRanges(
  read: PageRead,
  order: readonly ColumnKey[],
  after: readonly (Parameter | null)[],
  row: SqlRow,
  statement: StatementBuilder,
): KeysetRange[] {
  const columns = order.map((key) => sortTerms(key, row, statement))
  const fixed = order.map((key, index) => compileFixed(read, key, columns[index]!, row, statement))
  const keys = columns.map((terms, index) => fixed[index] ?? terms)
  const bound = order.map((key, index) => {
    const parameter = after[index] ?? null
    return parameter === null ? null : bindTerms(key, parameter, keys[index]!, row, statement)
  })
  const same = keys.map((terms, index) =>
    bound[index] === null ? `${terms[0]} IS NULL` : isEqual(terms, bound[index]!),
  )
  const ranges: KeysetRange[] = []
  const signs = order.map(({ direction }) => (direction === 'ASC' ? '>' : '<'))
  const range = (index: number, condition: string, known = index + 1): KeysetRange => ({
    on: [...same.slice(0, index), condition].join(' AND '),
    known,
  })
  const isApart = (key: ColumnKey, index: number) =>
    key.kind === 'type' || isNullable(key) || bound[index] === null || fixed[index] !== null
  const start = order.findLastIndex((key, index) => isApart(key, index) || signs[index] !== signs.at(-1)) + 1
  if (start < order.length) {
    const [terms, values] = [keys, bound].map((all) => all.slice(start).flatMap((each) => each ?? []))
    ranges.push(range(start, compare(terms!, signs[start]!, values!), order.length))
  }
  for (let index = start - 1; index >= 0; index--) {
    const value = bound[index] ?? null
    if (value === null) continue // NULLs are last: only rows with an equal key follow
    ranges.push(range(index, compare(keys[index]!, signs[index]!, value)))
    if (isNullable(order[index]!)) ranges.push(range(index, `${keys[index]![0]} IS NULL`))
  }
  return ranges.length === 0 ? [{ on: 'FALSE', known: 0 }] : ranges
}

/** The key of all rows of the page, if the filter names it; else null. The database compares it with the cursor once, before it reads
 *  rows: of two conditions on one column it might seek by one, and check the other on each row before the page. */
function compileFixed(
  read: PageRead,
  key: ColumnKey,
  terms: SortTerms,
  row: SqlRow,
  statement: StatementBuilder,
): SortTerms | null {
  const value = read.of === row.resource ? fixedValue(read.where, key) : null
  if (value === null) return null
  const [first, second] = bindTerms(key, value, terms, row, statement)
  const typed = (bound: string) => statement.dialect.virtual(bound, orderKeyType(key))
  return second === undefined ? [typed(first)] : [typed(first), typed(second)]
}
