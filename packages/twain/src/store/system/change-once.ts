// Changes of system tables with an idempotency key: the change and what it did are saved together, or neither.

import { uuidv7 } from '#base'
import type { IdempotencyKey } from '#base/http'
import type { SqlValue } from '../sql/encode.ts'
import type { Query, QueryRows } from '../sql/query.ts'
import { claimKey } from './idempotency-table.ts'
import type { SystemQuery, SystemTables } from './system-tables.ts'

/** What a change did, and the key of its request. */
export interface IdempotentResult {
  key: IdempotencyKey
  answer: object
}

/** A change for a request: `under` is null without an idempotency key. `readBack` reads the row after the change. */
export interface RequestedChange {
  under: IdempotentResult | null
  readBack?: Query
}

/** The row that `readBack` read; null without one. */
export interface ChangedRow {
  row: SqlValue[] | null
}

/** A text with placeholders, and its values. */
export type SystemText = [text: string, ...values: SqlValue[]]

interface SystemChange {
  /** Null: the request has no idempotency key. */
  under: IdempotentResult | null
  /** Returns a row if the change can be made, and locks that row, so that the request which claims the key makes the change. Its
   *  placeholders begin with `?6`. */
  possible: SystemText
  /** Statements that come first, such as a lock of what the change depends on. */
  before?: readonly Query[]
  /** Ends in a WHERE clause. */
  change: SystemText
  returning?: string
  /** Statements that follow the change. */
  more?: readonly Query[]
}

/** The rows of `returning`, none if the change was not made; and the rows of each statement that follows. With a key, only the
 *  request that claims the key makes the change. */
export async function changeOnce(
  { under, before = [], possible, change: [text, ...values], returning = '1', more = [] }: SystemChange,
  tables: SystemTables,
  query: SystemQuery,
): Promise<QueryRows[]> {
  if (under === null) {
    return (await tables.run(...before, query(`${text} RETURNING ${returning}`, ...values), ...more)).slice(
      before.length,
    )
  }
  const result = uniqueResult(under)
  const [id, answer] = [values.length + 1, values.length + 2]
  const isOurs = `EXISTS (SELECT 1 FROM twain_idempotency_key WHERE id = ?${id} AND result = ?${answer})`
  const change = `${text} AND ${isOurs} RETURNING ${returning}`
  const made = query(change, ...values, under.key.id, JSON.stringify(result))
  return (await tables.run(...before, claim(result, under.key, tables, query, possible), made, ...more)).slice(
    before.length + 1,
  )
}

/** `changeOnce` for a row that the request reads back. Null if the change was not made. */
export async function changeRowOnce(
  { under, readBack }: RequestedChange,
  { more: others = [], ...change }: Omit<SystemChange, 'under'>,
  tables: SystemTables,
  query: SystemQuery,
): Promise<ChangedRow | null> {
  const more = readBack === undefined ? others : [...others, readBack]
  const rows = await changeOnce({ under, ...change, more }, tables, query)
  if (rows[0]!.length === 0) return null
  return { row: readBack === undefined ? null : (rows.at(-1)![0] ?? null) }
}

/** For a request that changes nothing: saves its result, and reads the row. Null if another request has the key. */
export async function keepOnce(
  { under, readBack }: RequestedChange,
  tables: SystemTables,
  query: SystemQuery,
): Promise<ChangedRow | null> {
  const claims = under === null ? [] : [claim(uniqueResult(under), under.key, tables, query)]
  const rows = await tables.run(...claims, ...(readBack === undefined ? [] : [readBack]))
  if (under !== null && rows[0]!.length === 0) return null
  return { row: readBack === undefined ? null : (rows.at(-1)![0] ?? null) }
}

function claim(
  result: object,
  key: IdempotencyKey,
  { clock }: SystemTables,
  query: SystemQuery,
  possible: SystemText = ['SELECT 1'],
): Query {
  return claimKey(key, result, clock, query, ...possible)
}

/** Unique, so that a statement can tell which request has claimed the key. */
function uniqueResult({ answer }: IdempotentResult): object {
  return { answer, by: uuidv7() }
}
