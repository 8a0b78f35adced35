// `twain migrate`: migrates the data as a start would, without a server, and drops what earlier schemas have left behind.
// The command is rare, so this file loads the code for it on demand.

import type { MigrateOptions } from './options.ts'

/** Returns the steps of a migration, as SQL and comments. Throws StartRefused as a start would. Changes nothing. */
export async function planMigration(options: MigrateOptions): Promise<string[]> {
  if (options.database !== null) {
    const { planDatabase } = await import('./postgres/migrate/migrate-command.ts')
    return planDatabase(options.database, options)
  }
  return (await import('./sqlite/migrate/migrate-command.ts')).planFolder(options)
}

/** Throws StartRefused if the migration is refused; then nothing has changed. */
export async function migrateStore(options: MigrateOptions): Promise<void> {
  if (options.database !== null) {
    const { migrateDatabase } = await import('./postgres/migrate/migrate-command.ts')
    return migrateDatabase(options.database, options)
  }
  return (await import('./sqlite/migrate/migrate-command.ts')).migrateFolder(options)
}
