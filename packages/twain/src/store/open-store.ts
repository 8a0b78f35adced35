// Opens the store that the options ask for.

import type { OpenOptions, Store } from './contract.ts'
import { openPostgres } from './postgres/open-postgres.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'

export function openStore(options: OpenOptions): Promise<Store> {
  const { database = null } = options
  return database === null ? openSqlite(options) : openPostgres(database, options)
}
