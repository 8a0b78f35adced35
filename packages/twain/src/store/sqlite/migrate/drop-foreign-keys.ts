// Takes away the foreign keys of what a contract no longer has: nobody sees it, so it must not stop a delete.
//
// SQLite has no statement for it; its manual allows to change the text of the table where what lies on disk stays the same
// (sqlite.org/lang_altertable.html, "removing … FOREIGN KEY … constraints"). The connection still has the former text in
// mind, so this is the last that it does before its COMMIT.

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
  steps.perform(`foreign keys of ${changed.map(([table]) => table).join(', ')} that nobody sees go`, () =>
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

/** A column as `tables.ts` makes it, up to its foreign key. */
function keyOf(column: string | null): RegExp {
  const named = column === null ? '"(?:[^"]|"")+"' : quoteName(column).replace(/[^\w" ]/g, '\\$&')
  return new RegExp(
    `(${named} TEXT(?: NOT NULL)?) REFERENCES "(?:[^"]|"")+" \\(id\\) DEFERRABLE INITIALLY DEFERRED`,
    'g',
  )
}
