// The database of a server by hand: `sqlite FILE` or `postgres ADDRESS` of the command line.

import type { Database } from './database.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

export function openDatabase(): Database | Promise<Database> {
  const [kind, place] = process.argv.slice(2)
  return kind === 'postgres' ? openPostgres(place!) : openSqlite(place!)
}
