// The total number of rows, and whether rows follow a page.
//
// An estimate counts up to `exactCount` rows. Only where there are more, it looks at a sample: rows at fixed places between the first
// and the last row number. A sample counts nothing but rows that pass the filter, rules included: statistics of the database would
// tell of values in rows that the viewer may not read (decision 67).

import { membersOf } from '#model'
import type { CountOptions, PageRead } from '#plan'
import { type Table, tableOf } from '../tables/layout.ts'
import { quoteName } from '../tables/quote.ts'
import { compileCombinations, isDistinct } from './distinct-rows.ts'
import type { PageScope } from './page-scope.ts'
import { compileSize, compileSource } from './rows.ts'
import { compileMatchedRows } from './search/matched-rows.ts'
import { pageRow, type SqlRow } from './sql-row.ts'
import { and, type StatementBuilder } from './statement-builder.ts'

/** Up to here an estimate is exact. */
export const exactCount = 10_000
/** How many places a sample looks at. */
export const sampleSize = 2_000

export function compileCount(
  read: PageRead,
  scope: PageScope | null,
  near: SqlRow,
  statement: StatementBuilder,
  { isEstimated }: CountOptions = {},
): string {
  if (isDistinct(read))
    return `(SELECT count(*) FROM (${compileCombinations(read, scope, near, statement)})${statement.dialect.subqueryAlias})`
  const counts = membersOf(read.of).map((resource) => {
    const row = pageRow(read, statement.alias(), resource, near.layout)
    const table = tableOf(near.layout, resource)
    const source = compileSource(read, row, scope, statement)
    const rows = `FROM ${source.from} WHERE ${and([source.on])}`
    if (isEstimated === true && scope === null && isSampled(table)) return estimate(read, row, rows, table, statement)
    const matched = compileMatchedOnes(read, row, scope, statement, false)
    const { subqueryAlias: unnamed } = statement.dialect
    return (
      matched?.map((ones) => `(SELECT count(*) FROM (${ones})${unnamed})`).join(' + ') ?? `(SELECT count(*) ${rows})`
    )
  })
  return counts.join(' + ')
}

/** Whether each row has a number. The list of one row and a view are always counted. */
function isSampled({ source, isNumbered }: Table): boolean {
  return source === undefined && isNumbered !== false
}

function estimate(read: PageRead, near: SqlRow, rows: string, table: Table, statement: StatementBuilder): string {
  const { subqueryAlias: unnamed } = statement.dialect
  const few = `(SELECT count(*) AS n FROM (SELECT 1 ${rows} LIMIT ${exactCount + 1})${unnamed}) AS few`
  const many = `(SELECT ${twoDigits('n')} FROM (SELECT ${sampled(read, near, table, statement)} AS n)${unnamed})`
  return `(SELECT CASE WHEN few.n <= ${exactCount} THEN few.n ELSE ${many} END FROM ${few})`
}

/** How many rows there are, by the share of the places with a row that passes. Multiples of the golden ratio are spread evenly and
 *  fall in step with nothing that repeats; and the same table gives the same number. */
function sampled(read: PageRead, near: SqlRow, table: Table, statement: StatementBuilder): string {
  const row = pageRow(read, statement.alias(), near.resource, near.layout)
  const last = `(SELECT max(_n) FROM ${quoteName(table.name)})`
  const places = `WITH RECURSIVE place(i) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT i + 1 FROM place WHERE i < ${sampleSize})`
  const number = `1 + place.i * 618033989 % 1000000000 * ${last} / 1000000000`
  const isThere = `${row.column('_n')} = ${number}`
  const source = compileSource(read, row, null, statement)
  // SQLite reads the tables of a CROSS JOIN in their order.
  return `(${places} SELECT count(*) FROM place CROSS JOIN ${source.from} WHERE ${and([isThere, source.on])}) * ${last} / ${sampleSize}`
}

/** Rounds a number to two digits. It is never as low as an exact one. */
function twoDigits(value: string): string {
  const least = exactCount + exactCount / 10
  const scales = Array.from({ length: 9 }, (_, index) => exactCount * 10 ** index)
  const rounded = scales.map((scale) => {
    const unit = scale / 10
    return `WHEN ${value} < ${scale * 10} THEN (${value} + ${unit / 2}) / ${unit} * ${unit}`
  })
  return `CASE WHEN ${value} < ${least} THEN ${least} ${rounded.join(' ')} ELSE ${value} END`
}

/** Whether a row follows an offset page. */
export function compileMore(
  read: PageRead,
  scope: PageScope | null,
  near: SqlRow,
  statement: StatementBuilder,
): string {
  const { limit, offset } = compileSize(read.page, statement)
  return `EXISTS (SELECT 1 FROM (${rowsOf(read, scope, near, statement)} LIMIT 1 OFFSET ${limit} + ${offset ?? 0})${statement.dialect.subqueryAlias})`
}

function rowsOf(read: PageRead, scope: PageScope | null, near: SqlRow, statement: StatementBuilder): string {
  if (isDistinct(read)) return compileCombinations(read, scope, near, statement)
  const rows = membersOf(read.of).flatMap((resource) => {
    const row = pageRow(read, statement.alias(), resource, near.layout)
    const matched = compileMatchedOnes(read, row, scope, statement, true)
    if (matched !== null) return matched
    const source = compileSource(read, row, scope, statement)
    return `SELECT 1 FROM ${source.from} WHERE ${and([source.on])}`
  })
  return rows.join(' UNION ALL ')
}

/** A SELECT of a 1 for each row that a search finds. */
function compileMatchedOnes(...of: Parameters<typeof compileMatchedRows>): string[] | null {
  const matched = compileMatchedRows(...of)
  return matched?.map(({ all, from, on }) => all(`SELECT 1 FROM ${from} WHERE ${on}`)) ?? null
}
