// Reads the schema that was last served from a data folder or a database, without opening a store: a server may be running.

import { readSqliteSchema } from './sqlite/migrate/last-schema.ts'
import type { LastSchema } from './system/last-schema.ts'

type DataPlace = { data: string } | { database: string }

/** Null if nothing was served yet. */
export async function lastSchema(place: DataPlace): Promise<LastSchema | null> {
  if ('data' in place) return readSqliteSchema(place.data)
  const { readPostgresSchema } = await import('./postgres/migrate/last-schema.ts')
  return readPostgresSchema(place.database)
}
