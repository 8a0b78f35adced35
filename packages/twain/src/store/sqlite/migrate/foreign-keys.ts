// The foreign keys of the database, whichever schema created them. No start drops one. Earlier builds did, at a rollback:
// such keys come back here.
//
// SQLite has no statement that adds a key to a column. Its manual allows to edit the table's SQL where the data on disk
// stays the same (sqlite.org/lang_altertable.html). The connection still uses the previous SQL, so this is its last action
// before COMMIT.

import type { DatabaseSync } from 'node:sqlite'
import type { Log } from '#base'
import { wallTime } from '#base/time'
import { referenceKey } from '../../tables/layout.ts'
import { quoteName } from '../../tables/quote.ts'
import type { StoredReference } from '../../tables/storage-names.ts'
import { clearDangling, describeCleared } from '../../write/rows/dangling-references.ts'
import { sqliteRowImages } from '../changes/row-images.ts'
import { SqliteStatements } from '../connect/connect.ts'
import { runStep } from '../write/run-step.ts'
import { sqliteWriteDialect } from '../write/write-dialect.ts'
import type { MigrationSteps } from './migration-steps.ts'

/** Selects the columns with a foreign key, and the table that each refers to. */
export const selectForeignKeys = `
  SELECT t.name AS "table", k."from" AS "column", k."table" AS "to"
  FROM sqlite_schema AS t JOIN pragma_foreign_key_list(t.name) AS k WHERE t.type = 'table'`

/** Adds the foreign keys that the database lacks. References to rows that do not exist become null before. */
export function restoreForeignKeys(
  database: DatabaseSync,
  references: readonly StoredReference[],
  steps: MigrationSteps,
  log: Log | undefined,
): void {
  const missing = missingKeys(database, references)
  if (missing.length === 0) return
  steps.perform(`foreign keys of ${missing.map(referenceKey).join(', ')} come back`, () => {
    const statements = new SqliteStatements(database)
    const images = sqliteRowImages(database)
    for (const reference of missing) {
      const step = clearDangling(reference, sqliteWriteDialect, images, new Date(wallTime()).toISOString())
      const cleared = runStep(step, statements, { count: 0 })
      if (cleared.length > 0) log?.warn({}, describeCleared(reference, cleared))
    }
    writeKeys(database, missing)
  })
}

function missingKeys(database: DatabaseSync, references: readonly StoredReference[]): StoredReference[] {
  const keys = database.prepare(selectForeignKeys).all() as unknown as { table: string; column: string }[]
  const present = new Set(keys.map(referenceKey))
  const hasColumn = database.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?')
  return references.filter(
    (reference) =>
      reference.to !== null &&
      !present.has(referenceKey(reference)) &&
      hasColumn.get(reference.table, reference.column) !== undefined &&
      hasColumn.get(reference.to, 'id') !== undefined,
  )
}

function writeKeys(database: DatabaseSync, missing: readonly StoredReference[]): void {
  const { schema_version: version } = database.prepare('PRAGMA schema_version').get() as { schema_version: number }
  database.enableDefensive(false)
  database.exec('PRAGMA writable_schema = ON')
  const read = database.prepare(`SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?`)
  const write = database.prepare(`UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?`)
  for (const reference of missing) {
    const { sql } = read.get(reference.table) as { sql: string }
    write.run(addKey(sql, reference), reference.table)
  }
  database.exec(`PRAGMA schema_version = ${version + 1}; PRAGMA writable_schema = OFF`)
  database.enableDefensive(true)
}

/** In the SQL of a table of `tables.ts`. */
function addKey(sql: string, { column, to }: StoredReference): string {
  const named = quoteName(column).replace(/[^\w" ]/g, '\\$&')
  const key = ` REFERENCES ${quoteName(to!)} (id) DEFERRABLE INITIALLY DEFERRED`
  return sql.replace(new RegExp(`(${named} TEXT(?: NOT NULL)?)(?=\\s*[,)])`), (_, found: string) => found + key)
}
