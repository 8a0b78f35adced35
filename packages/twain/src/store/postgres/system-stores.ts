// The vault and our other tables on PostgreSQL: they are read on the connections for reads, and written as rows are.

import type { QueryRows } from '../sql/query.ts'
import { type CredentialStoreOptions, SqlCredentialStore } from '../system/sql-credential-store.ts'
import type { SystemTables } from '../system/system-tables.ts'
import type { Connections } from './read/connections.ts'
import { postgresWrites } from './write/dialect.ts'
import type { Transactions } from './write/transactions.ts'

export function makeVault(
  connections: Connections,
  transactions: Transactions,
  accounts: CredentialStoreOptions['accounts'],
): SqlCredentialStore {
  return new SqlCredentialStore({ ...postgresTables(connections, transactions), accounts })
}

export function postgresTables(connections: Connections, transactions: Transactions): SystemTables {
  return {
    dialect: postgresWrites,
    read: async ({ sql, parameters }) => (await connections.ask(sql, parameters)) as QueryRows,
    run: (...statements) => transactions.run(...statements),
  }
}
