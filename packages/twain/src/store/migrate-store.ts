// `twain migrate`: what a start would do to the data, without a server, and what no start does: to drop what contracts have
// left behind. It is rare, so that what it needs is loaded when it is asked for.

import type { Log } from '#base'
import type { Model } from '#model'

export interface MigrateOptions {
  /** The data folder. */
  data: string
  /** The address of a PostgreSQL database, in the place of the folder's SQLite file. */
  database: string | null
  model: Model
  /** The text that the model was loaded from. */
  sdl: string
  allowBreaking: boolean
  /** Whether what contracts have left behind goes. */
  drop: boolean
  log: Log
  /** Is told each step before it is done: SQL, or a comment. */
  onStep?: (step: string) => void
}

/** What would be done, as SQL and comments. Throws StartRefused as a start would. Nothing is changed. */
export async function planMigration(options: MigrateOptions): Promise<string[]> {
  if (options.database !== null) {
    const { planDatabase } = await import('./postgres/migrate/migrate-command.ts')
    return planDatabase(options.database, options)
  }
  return (await import('./sqlite/migrate/migrate-command.ts')).planFolder(options)
}

/** Throws StartRefused; then nothing was changed. */
export async function migrateStore(options: MigrateOptions): Promise<void> {
  if (options.database !== null) {
    const { migrateDatabase } = await import('./postgres/migrate/migrate-command.ts')
    return migrateDatabase(options.database, options)
  }
  return (await import('./sqlite/migrate/migrate-command.ts')).migrateFolder(options)
}
