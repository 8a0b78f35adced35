// Runs SQL on the database of a service, beside the service: what an earlier build or an operator may have done.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { selectForeignKeys as postgresKeys } from '../../packages/twain/src/store/postgres/migrate/foreign-keys.ts'
import { selectForeignKeys as sqliteKeys } from '../../packages/twain/src/store/sqlite/migrate/foreign-keys.ts'
import type { ChangingService } from '../harness/changing-service.ts'

/** Returns the rows of the last statement. SQLite does not check foreign keys here. */
export async function runSql(
  { place }: Pick<ChangingService, 'place'>,
  ...statements: string[]
): Promise<Record<string, unknown>[]> {
  const { database, data } = place.place
  let rows: Record<string, unknown>[] = []
  if (database === null) {
    const file = new DatabaseSync(join(data, 'twain.db'), { enableForeignKeyConstraints: false, timeout: 5000 })
    try {
      for (const sql of statements)
        rows = file
          .prepare(sql)
          .all()
          .map((row) => ({ ...row }))
    } finally {
      file.close()
    }
    return rows
  }
  const connection = connect(database, { size: 1, time: 10 })
  try {
    for (const sql of statements) rows = [...(await connection.query(sql))]
  } finally {
    await connection.end(1)
  }
  return rows
}

/** Every foreign key of rows, as `Table.column → Table`. */
export async function foreignKeys(service: ChangingService): Promise<string[]> {
  const select = service.place.place.database === null ? sqliteKeys : postgresKeys
  const rows = await runSql(service, select)
  return rows.map(({ table, column, to }) => `${table}.${column} → ${to}`).sort()
}

/** The indexes of tables of rows. */
export async function indexNames(service: ChangingService): Promise<unknown[]> {
  const select =
    service.place.place.database === null
      ? `SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name NOT GLOB 'twain_*' ORDER BY name`
      : `SELECT indexname AS name FROM pg_indexes WHERE schemaname = current_schema() AND indexname LIKE 'twain %' ORDER BY 1`
  return (await runSql(service, select)).map(({ name }) => name)
}

/** As earlier builds did when a schema no longer had the column. */
export async function dropForeignKey(service: ChangingService, table: string, column: string): Promise<void> {
  const { database, data } = service.place.place
  if (database !== null) {
    await runSql(service, `ALTER TABLE "${table}" DROP CONSTRAINT "${table}_${column}_fkey"`)
    return
  }
  const file = new DatabaseSync(join(data, 'twain.db'))
  try {
    file.enableDefensive(false)
    const { schema_version: version } = file.prepare('PRAGMA schema_version').get() as { schema_version: number }
    file.exec('PRAGMA writable_schema = ON')
    const { sql } = file.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(table) as { sql: string }
    const key = new RegExp(`("${column}" TEXT(?: NOT NULL)?) REFERENCES "\\w+" \\(id\\) DEFERRABLE INITIALLY DEFERRED`)
    file.prepare('UPDATE sqlite_schema SET sql = ? WHERE name = ?').run(sql.replace(key, '$1'), table)
    file.exec(`PRAGMA schema_version = ${version + 1}; PRAGMA writable_schema = OFF`)
  } finally {
    file.close()
  }
}

/** Earlier builds did not save the references with the storage names. */
export async function forgetReferences(service: ChangingService): Promise<void> {
  for (const { n, names } of await runSql(service, 'SELECT n, names FROM twain_schema')) {
    const { references: _, ...earlier } = JSON.parse(names as string) as { references?: unknown }
    await runSql(service, `UPDATE twain_schema SET names = '${JSON.stringify(earlier)}' WHERE n = ${n}`)
  }
}
