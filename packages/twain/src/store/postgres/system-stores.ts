// The system tables on PostgreSQL, and the credential store alone for the command line. Reads use the read pool, writes the
// transactions.

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
import { unknownHistory } from './changes/server-history.ts'
import { describeAddress } from './connect/connect.ts'
import { toStartRefused } from './connect/database-errors.ts'
import { ReadPool } from './read/read-pool.ts'
import { Transactions } from './write/transactions.ts'
import { postgresWriteDialect } from './write/write-dialect.ts'

export const postgresSystemRows: SystemRowSql = {
  json: (column) => `${column}::json`,
  timedList(column, members) {
    const instant = `to_timestamp((e ->> 'at')::numeric / 1000) AT TIME ZONE 'UTC'`
    const time = `to_char(${instant}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    const others = members.map((member) => `, '${member}', e -> '${member}'`).join('')
    const elements = `json_array_elements(${column}::json) AS e(e)`
    return `array_to_json(ARRAY(SELECT json_build_object('at', ${time}${others}) FROM ${elements}))`
  },
  now: `to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
}

export function postgresSystemTables(pool: ReadPool, transactions: Transactions, clock: StoreClock): SystemTables {
  return {
    dialect: postgresWriteDialect,
    clock,
    read: async ({ sql, parameters }) => (await pool.query(sql, parameters)) as QueryRows,
    run: (...statements) => transactions.run(...statements),
  }
}

/** A person waits for the result. */
const timeoutSeconds = 10

const silent = { info() {}, warn() {}, error() {} }

/** Opens the queue of a database for the command line, as the credential store. */
export async function openPostgresJobStore(address: string): Promise<OpenJobStore> {
  const { tables, close } = await openTables(address)
  return Object.assign(new SqlJobStore(tables, new JobQueries(tables.dialect, null), true), { close })
}

/** Opens the credential store of a database for the command line. Running nodes see its changes at once. Throws StartRefused
 *  when nothing was ever served from the database. */
export async function openPostgresCredentialStore(address: string): Promise<OpenCredentialStore> {
  const { tables, close } = await openTables(address)
  return Object.assign(new SqlCredentialStore({ ...tables, accounts: null }), { close })
}

async function openTables(address: string): Promise<{ tables: SystemTables; close(): Promise<void> }> {
  const place = describeAddress(address)
  const pool = new ReadPool(address, { size: 1, time: timeoutSeconds }, silent)
  const transactions = new Transactions(
    address,
    { size: 1, lockSize: 1, time: timeoutSeconds, isolation: 'READ COMMITTED' },
    unknownHistory,
    silent,
  )
  const close = async () => {
    await transactions.close()
    await pool.close()
  }
  try {
    const [[tables] = []] = await pool.query(`SELECT to_regclass('twain_secret')::text`, [])
    if (tables === null) {
      throw new StartRefused(
        `There is no data in ${place}. Serve a schema from there first, or name the database with --database.`,
      )
    }
  } catch (error) {
    await close()
    throw toStartRefused(error instanceof Error && error.cause !== undefined ? error.cause : error, place)
  }
  return { tables: postgresSystemTables(pool, transactions, wallClock), close }
}
