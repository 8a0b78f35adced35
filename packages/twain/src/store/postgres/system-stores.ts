// The vault and our other tables on PostgreSQL: they are read on the connections for reads, and written as rows are.

import type { Rows } from '../sql/query.ts'
import { SqlCredentialStore, type VaultParts } from '../system/sql-credential-store.ts'
import type { OwnTables } from '../system/system-tables.ts'
import type { Connections } from './read/connections.ts'
import { postgresWrites } from './write/dialect.ts'
import type { Transactions } from './write/transactions.ts'

export function makeVault(
  connections: Connections,
  transactions: Transactions,
  accounts: VaultParts['accounts'],
): SqlCredentialStore {
  return new SqlCredentialStore({ ...postgresTables(connections, transactions), accounts })
}

export function postgresTables(connections: Connections, transactions: Transactions): OwnTables {
  return {
    dialect: postgresWrites,
    read: async ({ sql, parameters }) => (await connections.ask(sql, parameters)) as Rows,
    run: (...statements) => transactions.run(...statements),
  }
}
