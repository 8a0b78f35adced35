// Logs how long a start will take for existing rows, before it begins: SQLite answers no requests meanwhile. New columns
// cost nothing, indexes, search words and keys of texts do.

import type { DatabaseSync } from 'node:sqlite'
import type { Log } from '#base'
import type { IndexDefinition } from '../../tables/indexes.ts'
import type { Layout } from '../../tables/layout.ts'
import { quoteName } from '../../tables/quote.ts'
import { missingSearchTables } from './search-tables.ts'

/** Measured with rows of 300 bytes: an index is a sort, search words and keys of texts are computed here. */
const microsecondsPerRow = { index: 2.5, words: 40, keys: 5 }

/** Shorter downtimes are not logged. */
const minReportedSeconds = 0.5

/** `missing` are the indexes that the migration creates. */
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
  for (const { table } of layout.unkeyed) add(table, microsecondsPerRow.keys)
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

/** The highest row number, which SQLite finds at once. */
function rowsOf(database: DatabaseSync, table: string): number {
  const isThere = database.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`).get(table)
  if (isThere === undefined) return 0
  return (database.prepare(`SELECT coalesce(max(_n), 0) AS n FROM ${quoteName(table)}`).get() as { n: number }).n
}
