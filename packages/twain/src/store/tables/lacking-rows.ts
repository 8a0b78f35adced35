// Rows that lack a value in a field that the schema requires: how many there are, and some of them.

import { isLive } from './layout.ts'
import { quoteName } from './quote.ts'

/** What a SELECT of a check has found. */
type FoundRows = readonly (readonly unknown[])[]

/** Yields SELECTs; the caller answers each with its rows. */
export type RowCheck<Result> = Generator<string, Result, FoundRows>

export interface LackingRows {
  type: string
  field: string
  rows: number
  /** The first three ids. */
  ids: readonly string[]
}

const maxShownIds = 3

/** Null: all rows have a value. `column` is null if the field has none yet: then all rows lack it. Deleted rows that can be restored
 *  do not count: no data migration can fill them, and restoring one that lacks a value is refused. */
export function* findLackingRows(
  { type, field }: Pick<LackingRows, 'type' | 'field'>,
  table: string,
  column: string | null,
): RowCheck<LackingRows | null> {
  const lacking = `FROM ${quoteName(table)} WHERE ${isLive}${column === null ? '' : ` AND ${quoteName(column)} IS NULL`}`
  if ((yield `SELECT 1 ${lacking} LIMIT 1`).length === 0) return null
  const [[rows] = []] = yield `SELECT count(*) ${lacking}`
  const ids = yield `SELECT id ${lacking} ORDER BY id LIMIT ${maxShownIds}`
  return { type, field, rows: Number(rows), ids: ids.map(([id]) => String(id)) }
}

/** "1,204 rows of Post have no slug: a, b, c and 1,201 more." */
export function describeLackingRows({ type, field, rows, ids }: LackingRows): string {
  const count = rows.toLocaleString('en-US')
  const some = `${rows === 1 ? `One row of ${type} has` : `${count} rows of ${type} have`} no ${field}`
  const others = rows - ids.length
  return `${some}: ${ids.join(', ')}${others > 0 ? ` and ${others.toLocaleString('en-US')} more` : ''}.`
}

/** How a data migration fills the field. */
export function fillingMigration({ type, field }: Pick<LackingRows, 'type' | 'field'>): string {
  return (
    `To fill it, write migrations/001-fill-${field.toLowerCase()}.ts beside the schema (any free number): ` +
    `export default defineMigration({ type: '${type}', where: { ${field}: { isNull: true } }, ` +
    `change: (row) => ({ ${field}: … }) }).`
  )
}
