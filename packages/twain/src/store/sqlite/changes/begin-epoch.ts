// Begins an epoch of the change log (`store/changes/epochs.ts`) after a restore: changes and versions after the backup are lost.

import type { DatabaseSync } from 'node:sqlite'
import { randomFraction } from '#base/time'
import { versionsSkipped } from '../../changes/epochs.ts'
import { quoteName } from '../../tables/quote.ts'

export function beginEpoch(database: DatabaseSync): void {
  const skipped = versionsSkipped + Math.floor(randomFraction() * versionsSkipped)
  database
    .prepare(`
      INSERT INTO twain_epoch (n, id, after_position, version_floor)
      SELECT max(n) + 1, lower(hex(randomblob(4))),
        coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'twain_change'), 0), max(?, max(version_floor)) + ?
      FROM twain_epoch`)
    .run(greatestVersion(database), skipped)
}

/** Of all rows and of all deleted ones. */
function greatestVersion(database: DatabaseSync): number {
  const tables = database
    .prepare(`SELECT m.name AS name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE c.name = '_version'`)
    .all()
    .map(({ name }) => `SELECT max(_version) AS version FROM ${quoteName(String(name))}`)
  const all = [...tables, 'SELECT max(version) FROM twain_tombstone'].join(' UNION ALL ')
  return Number(database.prepare(`SELECT max(version) AS version FROM (${all})`).get()!.version ?? 0)
}
