// The vault on PostgreSQL: it is read on the connections for reads, and written as rows are.

import { SqlVault, type VaultParts } from '../sql-vault.ts'
import type { Rows } from '../write/ask.ts'
import type { Connections } from './connections.ts'
import { postgresWrites } from './write/dialect.ts'
import type { Transactions } from './write/transactions.ts'

export function makeVault(
  connections: Connections,
  transactions: Transactions,
  accounts: VaultParts['accounts'],
): SqlVault {
  return new SqlVault({
    dialect: postgresWrites,
    read: async ({ sql, parameters }) => (await connections.ask(sql, parameters)) as Rows,
    run: (...statements) => transactions.run(...statements),
    accounts,
  })
}
