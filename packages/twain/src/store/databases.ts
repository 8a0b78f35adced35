// Opens the store for a server, and does what the command line does with stored data: migrate, copy, read the last schema,
// manage credentials. Each function chooses the database by its options. The code of PostgreSQL and of the commands is loaded
// on demand.

import type { copyService as copy } from './copy/copy.ts'
import type { MigrateOptions, OpenOptions } from './options.ts'
import type { DatabaseFacts } from './postgres/inspect.ts'
import { openSqlite } from './sqlite/open.ts'
import type { Store } from './store.ts'
import type { OpenCredentialStore } from './system/accounts/credential-store.ts'
import type { StoredFindings } from './system/checks/stored-database.ts'
import type { LeftRows, PlannedMigrations } from './system/data-migrations.ts'
import type { OpenJobStore } from './system/jobs/job-store.ts'
import type { LastSchema } from './tables/last-schema.ts'

/** Opens SQLite, or PostgreSQL if the options have the address of a database. */
export async function openStore(options: OpenOptions): Promise<Store> {
  const { database = null } = options
  if (database === null) return openSqlite(options)
  const { openPostgres } = await import('./postgres/open.ts')
  return openPostgres(database, options)
}

/** `twain migrate --dry-run`: returns the steps, as SQL and comments. Throws StartRefused as a start would. Changes nothing. */
export async function planMigration(options: MigrateOptions): Promise<string[]> {
  if (options.database !== null) {
    const { planDatabase } = await import('./postgres/migrate/migrate-command.ts')
    return planDatabase(options.database, options)
  }
  return (await import('./sqlite/migrate/migrate-command.ts')).planFolder(options)
}

/** `twain migrate --dry-run`: what a start would do to the rows after the tables. Changes nothing. */
export async function planDataMigrations(options: MigrateOptions, leftRows: LeftRows): Promise<PlannedMigrations> {
  if (options.database !== null) {
    const { planDatabaseMigrations } = await import('./postgres/migrate/migrate-command.ts')
    return planDatabaseMigrations(options.database, options, leftRows)
  }
  return (await import('./sqlite/migrate/migrate-command.ts')).planFolderMigrations(options, leftRows)
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
    const { readPostgresSchema } = await import('./postgres/migrate/migrate-command.ts')
    return readPostgresSchema(location.database)
  }
  return (await import('./sqlite/migrate/migrate-command.ts')).readSqliteSchema(location.data)
}

/** `twain doctor`. Rejects if the server can't be reached. */
export async function inspectDatabase(address: string): Promise<DatabaseFacts> {
  return (await import('./postgres/inspect.ts')).inspectPostgres(address)
}

/** `twain doctor --deep`. */
export async function checkStored({
  data,
  database,
}: {
  data: string
  database: string | null
}): Promise<StoredFindings> {
  if (database !== null) return (await import('./postgres/check-stored.ts')).checkStoredDatabase(database)
  return (await import('./sqlite/check-stored.ts')).checkStoredFolder(data)
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
    const { openPostgresCredentialStore } = await import('./postgres/system-stores.ts')
    return openPostgresCredentialStore(database)
  }
  return (await import('./sqlite/system-stores.ts')).openSqliteCredentialStore(data)
}

/** Opens the queue alone. Throws StartRefused if nothing was ever served from there. */
export async function openJobStore({
  data,
  database,
}: {
  data: string
  database: string | null
}): Promise<OpenJobStore> {
  if (database !== null) return (await import('./postgres/system-stores.ts')).openPostgresJobStore(database)
  return (await import('./sqlite/system-stores.ts')).openSqliteJobStore(data)
}
