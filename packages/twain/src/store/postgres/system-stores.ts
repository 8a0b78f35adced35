// The credential store and the other system tables on PostgreSQL: reads use the read pool, writes the transactions.

import type { QueryRows } from '../sql/query.ts'
import { type CredentialStoreOptions, SqlCredentialStore } from '../system/sql-credential-store.ts'
import type { SystemTables } from '../system/system-tables.ts'
import type { ReadPool } from './read/read-pool.ts'
import type { Transactions } from './write/transactions.ts'
import { postgresWriteDialect } from './write/write-dialect.ts'

export function createCredentialStore(
  connections: ReadPool,
  transactions: Transactions,
  accounts: CredentialStoreOptions['accounts'],
): SqlCredentialStore {
  return new SqlCredentialStore({ ...postgresSystemTables(connections, transactions), accounts })
}

export function postgresSystemTables(connections: ReadPool, transactions: Transactions): SystemTables {
  return {
    dialect: postgresWriteDialect,
    read: async ({ sql, parameters }) => (await connections.query(sql, parameters)) as QueryRows,
    run: (...statements) => transactions.run(...statements),
  }
}
