// Opens the credential store of a data folder for the command line. It writes without the folder lock, also while a server
// runs: SQLite serializes writers, a statement here takes a millisecond, and the server reads these tables afresh. The lock
// only keeps two servers apart, which would each act as the only writer of rows.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { QueryRows } from '../sql/query.ts'
import type { OpenCredentialStore } from '../system/credential-store.ts'
import { SqlCredentialStore } from '../system/sql-credential-store.ts'
import { StartRefused } from '../tables/start-refused.ts'
import { openWriteConnection, SqliteStatements } from './connect/connect.ts'
import { sqliteCredentialTables } from './migrate/tables.ts'
import { runStatements } from './write/run-step.ts'
import { sqliteWriteDialect } from './write/write-dialect.ts'

/** Throws StartRefused when nothing was ever served from the folder. */
export function openSqliteCredentialStore(data: string): OpenCredentialStore {
  const file = join(data, 'twain.db')
  if (!existsSync(file)) {
    throw new StartRefused(
      `There is no data in ${data}. Serve a schema from there first, or say where it is with --data.`,
    )
  }
  const database = openWriteConnection(file)
  database.exec(sqliteCredentialTables)
  const statements = new SqliteStatements(database)
  const credentials = new SqlCredentialStore({
    dialect: sqliteWriteDialect,
    accounts: null,
    read: ({ sql, parameters }) => statements.get(sql).all(...parameters) as unknown as QueryRows,
    run: async (...run) => {
      database.exec('BEGIN IMMEDIATE')
      try {
        const rows = runStatements({ kind: 'statements', statements: run }, statements)
        database.exec('COMMIT')
        return rows
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK')
        throw error
      }
    },
  })
  return Object.assign(credentials, { close: async () => database.close() })
}
