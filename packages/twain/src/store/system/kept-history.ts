// The changes of rows of types with `@history`, which are kept longer than the change log
// (docs/internals/decisions/0078-reversions.md).
//
// 1. When the log is pruned, the entries of these types move to the table `twain_history`, in the transaction that prunes them.
//    So an entry is in one of the two tables, and the write itself costs nothing more.
// 2. Which types are kept, and how long, is stored in the database: a node with an older schema prunes the log too.
// 3. The history of a row ends with it. A final delete deletes it in its transaction (`forgetHistory`); entries that move at the same
//    time, or whose delete was made by a node with an older schema, go with the next pruning, before the log drops that delete.

import type { Model, Resource } from '#model'
import type { Query } from '../sql/query.ts'
import type { StoreClock } from '../store-clock.ts'
import { type Layout, storageTypeOf, tableOf } from '../tables/layout.ts'
import { quoteName, quoteText } from '../tables/quote.ts'
import { type SystemQuery, toText } from './system-tables.ts'

/** Parameters as in `webhookTables`. */
export function historyTables({ text, whole, kind }: { text: string; whole: string; kind: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_history ( -- entries that the change log no longer has
  resource ${text} NOT NULL,
  id ${text} NOT NULL,
  version ${whole} NOT NULL,
  kind ${text} NOT NULL,
  time ${text} NOT NULL,
  after ${text},
  before ${text},
  by ${text},
  via ${text},
  PRIMARY KEY (resource, id, version)
)${kind};
CREATE INDEX IF NOT EXISTS twain_history_time ON twain_history (resource, time);
CREATE TABLE IF NOT EXISTS twain_history_type ( -- the types with @history
  type ${text} PRIMARY KEY, -- the storage name
  seconds ${whole} NOT NULL -- how long changes of its rows are kept
)${kind}`
}

const columns = 'resource, id, version, kind, time, after, before, by, via'

/** A type whose changes may be kept, as this node knows it: by its storage name, and its quoted table. */
export interface KeptType {
  type: string
  table: string
}

/** All types of the schema: another version of it may have `@history` on any of them (2). */
export function keepableTypes({ resources }: Model, layout: Layout): KeptType[] {
  return resources.map((of) => ({ type: storageTypeOf(layout, of), table: quoteName(tableOf(layout, of).name) }))
}

/** Stores which types of this schema are kept, if the database has it otherwise. The schema that started last decides. */
export async function saveKeptTypes(model: Model, layout: Layout, run: RunText, read = run): Promise<void> {
  const rows = (await read(selectTypes)) as [type: string, seconds: number][]
  const stored = new Map(rows.map(([type, seconds]) => [type, Number(seconds)]))
  for (const of of model.resources) {
    const type = storageTypeOf(layout, of)
    const seconds = of.history?.keepSeconds
    if (stored.get(type) === seconds) continue
    if (seconds === undefined) await run(`DELETE FROM twain_history_type WHERE type = ${quoteText(type)}`)
    else {
      const insert = `INSERT INTO twain_history_type (type, seconds) VALUES (${quoteText(type)}, ${seconds})`
      await run(`${insert} ON CONFLICT (type) DO UPDATE SET seconds = excluded.seconds`)
    }
  }
}

/** Runs a statement, and returns its rows. */
type RunText = (sql: string) => Promise<readonly unknown[]>

const selectTypes = 'SELECT type, seconds FROM twain_history_type'

/** Those types whose changes the database keeps. Deletes what it has of their rows that are gone (3): call it before the log drops the
 *  deletes of these rows. */
export async function beginPruning(types: readonly KeptType[], run: RunText): Promise<KeptType[]> {
  const stored = new Set((await run(selectTypes)).map((row) => String((row as [type: string])[0])))
  const kept = types.filter(({ type }) => stored.has(type))
  for (const one of kept) await removeAll(isOfGoneRow(one), run)
  return kept
}

function isOfGoneRow({ type, table }: KeptType): string {
  const deleted = `SELECT id FROM twain_change WHERE kind = 'deleted' AND resource = ${quoteText(type)}`
  return `resource = ${quoteText(type)} AND id IN (${deleted}) AND NOT ${isThere(table, 'twain_history.id')}`
}

/** Adds to `twain_history` those entries of a row source that are kept: not of rows that are gone. */
export function keepEntries(source: string, kept: readonly KeptType[]): string {
  const isGone = kept.map(({ type, table }) => `(e.resource = ${quoteText(type)} AND NOT ${isThere(table, 'e.id')})`)
  const notGone = isGone.length === 0 ? '' : ` AND NOT (${isGone.join(' OR ')})`
  return (
    `INSERT INTO twain_history (${columns}) SELECT ${columns} FROM ${source} AS e ` +
    `WHERE e.resource IN (SELECT type FROM twain_history_type)${notGone} ON CONFLICT DO NOTHING`
  )
}

/** What `keepEntries` takes of an entry. */
export const keptColumns: string = columns

const rowsPerStep = 1000

async function removeAll(condition: string, run: RunText): Promise<void> {
  const some = `SELECT resource, id, version FROM twain_history WHERE ${condition} LIMIT ${rowsPerStep}`
  const remove = `DELETE FROM twain_history WHERE (resource, id, version) IN (${some}) RETURNING 1`
  for (let count = rowsPerStep; count === rowsPerStep; ) count = (await run(remove)).length
}

/** Deletes what is no longer kept: entries whose time is over, of types without `@history`, and of rows that are gone (3). */
export async function pruneHistory(kept: readonly KeptType[], clock: StoreClock, run: RunText): Promise<void> {
  const types = (await run(selectTypes)) as [type: string, seconds: number][]
  const conditions = types.map(([type, seconds]) => {
    const keptMs = Number(seconds) * 1000
    return `resource = ${quoteText(type)} AND time < ${quoteText(toText(clock.past(keptMs) - keptMs))}`
  })
  conditions.push('resource NOT IN (SELECT type FROM twain_history_type)')
  for (const condition of [...conditions, ...kept.map(isOfGoneRow)]) await removeAll(condition, run)
}

function isThere(table: string, id: string): string {
  return `EXISTS (SELECT 1 FROM ${table} AS r WHERE r.id = ${id})`
}

/** Deletes the kept changes of a row that is deleted for good. */
export function forgetHistory(of: Resource, id: string, layout: Layout, query: SystemQuery): Query[] {
  if (of.history === undefined) return []
  return [query('DELETE FROM twain_history WHERE resource = ?1 AND id = ?2', storageTypeOf(layout, of), id)]
}
