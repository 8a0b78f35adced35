// Opens the store of the options: SQLite, or PostgreSQL, whose code is loaded only if there is a database.

import type { OpenOptions } from './options.ts'
import { openSqlite } from './sqlite/open.ts'
import type { Store } from './store.ts'

export async function openStore(options: OpenOptions): Promise<Store> {
  const { database = null } = options
  if (database === null) return openSqlite(options)
  const { openPostgres } = await import('./postgres/open.ts')
  return openPostgres(database, options)
}
