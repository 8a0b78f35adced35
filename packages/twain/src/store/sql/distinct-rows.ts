// The rows of a page with `distinct`: of the rows that have equal values in some fields, the first in the order of the page.
//
// 1. A window function numbers the rows of each combination in the order of the page. Only what it needs is sorted: the id, the
//    sort keys and the values. The selected columns of the page are read by the id.
// 2. The first row is found before the page begins: a cursor cuts the list of first rows, and changes none of them.
// 3. Rows of several types are numbered together.

import { membersOf } from '#model'
import type { PageRead } from '#plan'
import { ComputedKeys, compileAfter, keyColumn } from './computed-order.ts'
import { GroupValues } from './groups/group-values.ts'
import { isComputed } from './order-keys.ts'
import type { PageScope } from './page-scope.ts'
import { compileSource, type PageSize } from './rows.ts'
import { orderBy, sortValue } from './sort-terms.ts'
import { pageRow, SqlRow } from './sql-row.ts'
import { and, type StatementBuilder } from './statement-builder.ts'
import { from, fromWhole } from './where.ts'

/** A page with the fields that tell its rows apart. */
export type DistinctRead = PageRead & Required<Pick<PageRead, 'distinct'>>

export function isDistinct(read: PageRead): read is DistinctRead {
  return read.distinct !== undefined
}

/** A SELECT of the page's rows of one type, with the columns that `selected` uses and the sort keys (`keyColumn`). */
export function compileDistinctRows(
  read: DistinctRead,
  scope: PageScope | null,
  selected: SqlRow,
  size: PageSize,
  statement: StatementBuilder,
): string {
  const page = statement.alias()
  const row = new SqlRow(selected.alias, selected.resource, selected.layout)
  const keys = read.order.map((_, index) => `${page}.${keyColumn(index)}`)
  const columns = [...[...selected.used].map((column) => row.column(column)), ...keys].join(', ')
  const first = compileFirstRows(read, scope, selected, size, statement)
  const sort = read.order.map((key, index) => orderBy(key, [keys[index]!]))
  return `SELECT ${columns} FROM (${first}) AS ${page} JOIN ${read.deleted === undefined ? from(row) : fromWhole(row)} ON ${row.id} = ${page}.id ORDER BY ${sort.join(', ')}`
}

/** A SELECT of the page's rows of all types: `type`, `id` and the sort keys (`keyColumn`). */
export function compileFirstRows(
  read: DistinctRead,
  scope: PageScope | null,
  near: SqlRow,
  { limit, offset }: PageSize,
  statement: StatementBuilder,
): string {
  const { order, page } = read
  const { subqueryAlias: unnamed } = statement.dialect
  const sort = order.map((key, index) => orderBy(key, [keyColumn(index)])).join(', ')
  const by = read.distinct.map((_, index) => valueColumn(index)).join(', ')
  const numbered = `SELECT *, row_number() OVER (PARTITION BY ${by} ORDER BY ${sort}) AS place FROM (${allRows(read, scope, near, statement)})${unnamed}`
  const after = page.kind === 'offset' || page.after === null ? null : page.after
  const follows = after === null ? null : compileAfter(order, after, near, statement)
  const bounds = `ORDER BY ${sort} LIMIT ${limit}${offset === null ? '' : ` OFFSET ${offset}`}`
  return `SELECT * FROM (${numbered})${unnamed} WHERE ${and(['place = 1', follows])} ${bounds}`
}

/** The id, the sort keys and the values of each row. */
function allRows(read: DistinctRead, scope: PageScope | null, near: SqlRow, statement: StatementBuilder): string {
  const selects = membersOf(read.of).map((resource) => {
    const row = pageRow(read, statement.alias(), resource, near.layout)
    const source = compileSource(read, row, scope, statement)
    const computed = new ComputedKeys(statement)
    const values = new GroupValues(row, statement)
    const columns = [
      `${row.typeName} AS type`,
      `${row.id} AS id`,
      ...read.order.map((key, index) => {
        const value = isComputed(key) ? computed.key(key, row) : sortValue(key, row, statement)
        return `${value} AS ${keyColumn(index)}`
      }),
      ...read.distinct.map((target, index) => `${values.value(target)} AS ${valueColumn(index)}`),
    ]
    return `SELECT ${columns.join(', ')} FROM ${source.from}${computed.joins}${values.joins} WHERE ${and([source.on])}`
  })
  return selects.join(' UNION ALL ')
}

/** A SELECT with one row for each combination of values. */
export function compileCombinations(
  read: DistinctRead,
  scope: PageScope | null,
  near: SqlRow,
  statement: StatementBuilder,
): string {
  const selects = membersOf(read.of).map((resource) => {
    const row = pageRow(read, statement.alias(), resource, near.layout)
    const source = compileSource(read, row, scope, statement)
    const values = new GroupValues(row, statement)
    const columns = read.distinct.map((target, index) => `${values.value(target)} AS ${valueColumn(index)}`)
    return `SELECT ${columns.join(', ')} FROM ${source.from}${values.joins} WHERE ${and([source.on])}`
  })
  return `SELECT DISTINCT * FROM (${selects.join(' UNION ALL ')})${statement.dialect.subqueryAlias}`
}

function valueColumn(index: number): string {
  return `d${index}`
}
