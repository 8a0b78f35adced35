// The system tables on SQLite, and the credential store alone for the command line.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { StorageFailures } from '../observe/storage-failures.ts'
import type { QueryRows } from '../sql/query.ts'
import { type StoreClock, wallClock } from '../store-clock.ts'
import type { OpenCredentialStore } from '../system/accounts/credential-store.ts'
import { SqlCredentialStore } from '../system/accounts/sql-credential-store.ts'
import { JobQueries } from '../system/jobs/job-queries.ts'
import type { OpenJobStore } from '../system/jobs/job-store.ts'
import { SqlJobStore } from '../system/jobs/sql-job-store.ts'
import type { SystemRowSql } from '../system/system-rows.ts'
import type { SystemTables } from '../system/system-tables.ts'
import { StartRefused } from '../tables/start-refused.ts'
import { openWriteConnection, SqliteStatements } from './connect/connect.ts'
import { nowFunction } from './dialect.ts'
import { tableExists } from './migrate/migrate.ts'
import { createCommandTables } from './migrate/tables.ts'
import { runStatements } from './write/run-step.ts'
import { sqliteWriteDialect } from './write/write-dialect.ts'

export const sqliteSystemRows: SystemRowSql = {
  json: (column) => column,
  timedList(column) {
    const time = `strftime('%Y-%m-%dT%H:%M:%fZ', (value ->> 'at') / 1000.0, 'unixepoch')`
    return `(SELECT json_group_array(json_set(value, '$.at', ${time})) FROM json_each(${column}))`
  },
  now: `${nowFunction}()`,
}

/** `beforeRead` is called before each read. */
export function sqliteSystemTables(
  statements: SqliteStatements,
  run: SystemTables['run'],
  clock: StoreClock,
  beforeRead: () => void = () => {},
  failures: StorageFailures | null = null,
): SystemTables {
  return {
    dialect: sqliteWriteDialect,
    clock,
    read({ sql, parameters }) {
      beforeRead()
      const read = () => statements.get(sql).all(...parameters) as unknown as QueryRows
      return failures === null ? read() : failures.reading(read)
    },
    run,
  }
}

/** Opens the queue of a data folder for the command line, also while a server runs, as the credential store. */
export function openSqliteJobStore(data: string): OpenJobStore {
  const { tables, close } = openTables(data)
  return Object.assign(new SqlJobStore(tables, new JobQueries(tables.dialect, null), false), { close })
}

/** Opens the credential store of a data folder for the command line. It writes without the folder lock, also while a server
 *  runs: SQLite serializes writers, a statement here takes a millisecond, and the server reads these tables afresh. The lock
 *  only keeps two servers apart, which would each act as the only writer of rows. Throws StartRefused when nothing was ever
 *  served from the folder. */
export function openSqliteCredentialStore(data: string): OpenCredentialStore {
  const { tables, close } = openTables(data)
  return Object.assign(new SqlCredentialStore({ ...tables, accounts: null }), { close })
}

function openTables(data: string): { tables: SystemTables; close(): Promise<void> } {
  const file = join(data, 'twain.db')
  const noData = `There is no data in ${data}. Serve a schema from there first, or name the data folder with --data.`
  if (!existsSync(file)) throw new StartRefused(noData)
  const database = openWriteConnection(file)
  if (!tableExists(database, 'twain_schema')) {
    database.close()
    throw new StartRefused(noData)
  }
  createCommandTables(database)
  const statements = new SqliteStatements(database)
  const tables = sqliteSystemTables(
    statements,
    async (...run) => {
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
    wallClock,
  )
  return { tables, close: async () => database.close() }
}
