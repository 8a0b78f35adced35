// How long a start will be busy with rows that are there already, told before it begins: on SQLite nobody is answered
// meanwhile. New columns cost nothing whatever the number of rows; indexes and words do.

import type { DatabaseSync } from 'node:sqlite'
import type { Log } from '#base'
import type { IndexDefinition } from '../../tables/indexes.ts'
import type { Layout } from '../../tables/layout.ts'
import { quoteName } from '../../tables/quote.ts'
import { missingSearchTables } from './search-tables.ts'

/** Microseconds for each row, measured with rows of 300 bytes: an index is a sort of its own, words are found by us. */
const microsecondsPerRow = { index: 2.5, words: 40 }

/** A shorter one is not worth a line. */
const minReportedSeconds = 0.5

/** `missing` are the indexes that will be made. */
export function estimateDowntime(
  database: DatabaseSync,
  missing: readonly IndexDefinition[],
  layout: Layout,
  log: Log | undefined,
  minSeconds = minReportedSeconds,
): void {
  const tables = new Map<string, number>()
  const add = (table: string, cost: number) => tables.set(table, (tables.get(table) ?? 0) + cost)
  for (const { table } of missing) add(table, microsecondsPerRow.index)
  for (const { table } of missingSearchTables(database, layout).values()) add(table, microsecondsPerRow.words)
  let seconds = 0
  let rows = 0
  for (const [table, cost] of tables) {
    const there = rowsOf(database, table)
    if (there === 0) continue
    rows += there
    seconds += (there * cost) / 1e6
  }
  if (rows === 0 || seconds < minSeconds) return
  const estimated = Math.max(1, Math.round(seconds))
  log?.info(
    { rows, estimated_seconds: estimated, tables: [...tables.keys()] },
    `building indexes over ${rows} rows: about ${estimated} s of downtime`,
  )
}

/** As many as there ever were, which is found at once. */
function rowsOf(database: DatabaseSync, table: string): number {
  const isThere = database.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`).get(table)
  if (isThere === undefined) return 0
  return (database.prepare(`SELECT coalesce(max(_n), 0) AS n FROM ${quoteName(table)}`).get() as { n: number }).n
}
