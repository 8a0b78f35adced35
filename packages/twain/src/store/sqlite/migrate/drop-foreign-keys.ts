// Drops the foreign keys of tables and columns that the schema no longer has, so that they can't block a delete.
//
// SQLite has no statement for it. Its manual allows to edit the table's SQL where the data on disk stays the same
// (sqlite.org/lang_altertable.html, "removing … FOREIGN KEY … constraints"). The connection still uses the previous SQL, so
// this is its last action before COMMIT.

import type { DatabaseSync } from 'node:sqlite'
import { quoteName } from '../../tables/quote.ts'
import type { ReleasedReference } from '../../tables/refuse-breaking.ts'
import type { MigrationSteps } from './migration-steps.ts'

export function dropForeignKeys(
  database: DatabaseSync,
  loose: readonly ReleasedReference[],
  steps: MigrationSteps,
): void {
  const texts = new Map<string, string>()
  for (const { table, column } of loose) {
    const text = texts.get(table) ?? textOf(database, table)
    texts.set(table, text.replaceAll(keyOf(column), '$1'))
  }
  const changed = [...texts].filter(([table, text]) => text !== textOf(database, table))
  if (changed.length === 0) return
  steps.perform(`foreign keys of ${changed.map(([table]) => table).join(', ')} that no schema uses are dropped`, () =>
    writeTexts(database, changed),
  )
}

function writeTexts(database: DatabaseSync, changed: readonly [table: string, text: string][]): void {
  const { schema_version: version } = database.prepare('PRAGMA schema_version').get() as { schema_version: number }
  database.enableDefensive(false)
  database.exec('PRAGMA writable_schema = ON')
  const update = database.prepare(`UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?`)
  for (const [table, text] of changed) update.run(text, table)
  database.exec(`PRAGMA schema_version = ${version + 1}; PRAGMA writable_schema = OFF`)
  database.enableDefensive(true)
}

function textOf(database: DatabaseSync, table: string): string {
  const row = database.prepare(`SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(table)
  if (row === undefined) throw new Error(`there is no table ${table}`)
  return row.sql as string
}

/** Matches a column of `tables.ts` up to its foreign key. */
function keyOf(column: string | null): RegExp {
  const named = column === null ? '"(?:[^"]|"")+"' : quoteName(column).replace(/[^\w" ]/g, '\\$&')
  return new RegExp(
    `(${named} TEXT(?: NOT NULL)?) REFERENCES "(?:[^"]|"")+" \\(id\\) DEFERRABLE INITIALLY DEFERRED`,
    'g',
  )
}
