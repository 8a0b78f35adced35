// Opens the store that the options ask for.

import type { OpenOptions, Store } from './contract.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'

export function openStore(options: OpenOptions): Promise<Store> {
  return openSqlite(options)
}
