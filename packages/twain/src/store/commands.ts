// What the command line does with stored data without serving it: migrate, copy, read the last schema, manage credentials.
// Commands are rare, so this file loads the code for each on demand.

import type { copyService as copy } from './copy/copy.ts'
import type { MigrateOptions } from './options.ts'
import type { OpenCredentialStore } from './system/credential-store.ts'
import type { LastSchema } from './system/last-schema.ts'

/** `twain migrate --dry-run`: returns the steps, as SQL and comments. Throws StartRefused as a start would. Changes nothing. */
export async function planMigration(options: MigrateOptions): Promise<string[]> {
  if (options.database !== null) {
    const { planDatabase } = await import('./postgres/migrate/migrate-command.ts')
    return planDatabase(options.database, options)
  }
  return (await import('./sqlite/migrate/migrate-command.ts')).planFolder(options)
}

/** `twain migrate`: does what a start would do to the data. Throws StartRefused if it is refused; then nothing has changed. */
export async function migrateStore(options: MigrateOptions): Promise<void> {
  if (options.database !== null) {
    const { migrateDatabase } = await import('./postgres/migrate/migrate-command.ts')
    return migrateDatabase(options.database, options)
  }
  return (await import('./sqlite/migrate/migrate-command.ts')).migrateFolder(options)
}

/** `twain copy`. */
export const copyService: typeof copy = async (...places) => (await import('./copy/copy.ts')).copyService(...places)

/** Reads the schema that was last served, without opening a store: a server may be running. Null if nothing was served yet. */
export async function lastSchema(location: { data: string } | { database: string }): Promise<LastSchema | null> {
  if ('database' in location) {
    const { readPostgresSchema } = await import('./postgres/migrate/last-schema.ts')
    return readPostgresSchema(location.database)
  }
  return (await import('./sqlite/migrate/last-schema.ts')).readSqliteSchema(location.data)
}

/** Opens the credentials alone. Throws StartRefused if nothing was ever served from there. */
export async function openCredentialStore({
  data,
  database,
}: {
  data: string
  database: string | null
}): Promise<OpenCredentialStore> {
  if (database !== null) {
    const { openPostgresCredentialStore } = await import('./postgres/open-credential-store.ts')
    return openPostgresCredentialStore(database)
  }
  return (await import('./sqlite/open-credential-store.ts')).openSqliteCredentialStore(data)
}
