// `twain migrate` on a data folder. It is one transaction: an interrupted migration leaves the file as it was. Before data
// is dropped, the whole file is copied.

import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { MigrateOptions } from '../../options.ts'
import { planDroppedColumns } from '../../tables/dropped-columns.ts'
import { quoteText } from '../../tables/quote.ts'
import { backUpBeforeChange } from '../backup/copy-database.ts'
import { openWriteConnection } from '../connect/connect.ts'
import { lockFolder } from '../connect/lock-folder.ts'
import { migrate, planMigration, readServedSchema } from './migrate.ts'
import { executeSteps, recordSteps } from './migration-steps.ts'

export function migrateFolder({ data, model, sdl, allowBreaking, drop, log, onStep }: MigrateOptions): void {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const lock = lockFolder(data)
  try {
    const file = join(data, 'twain.db')
    closeSync(openSync(file, 'a', 0o600))
    const database = openWriteConnection(file)
    try {
      migrate(database, model, sdl, { data, allowBreaking, log }, executeSteps(database, onStep))
      if (drop) dropUnused(database, data, log, onStep)
    } finally {
      database.close()
    }
  } finally {
    lock.release()
  }
}

function dropUnused(
  database: DatabaseSync,
  data: string,
  log: MigrateOptions['log'],
  onStep: MigrateOptions['onStep'],
): void {
  const { statements, names } = planDroppedColumns(readServedSchema(database)!.names)
  if (statements.length === 0) return
  backUpBeforeChange(data, log, 'database backed up: unused tables and columns are dropped')
  const steps = executeSteps(database, onStep)
  database.exec('BEGIN IMMEDIATE')
  try {
    for (const statement of statements) steps.run(statement)
    steps.run(saveNames(JSON.stringify(names)))
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

function saveNames(names: string): string {
  return `UPDATE twain_schema SET names = ${quoteText(names)} WHERE n = (SELECT max(n) FROM twain_schema)`
}

/** Only reads the file: a server may be running on it. */
export function planFolder({ data, model, sdl, allowBreaking, drop }: MigrateOptions): string[] {
  const file = join(data, 'twain.db')
  const database = existsSync(file)
    ? new DatabaseSync(file, { readOnly: true, timeout: 5000 })
    : new DatabaseSync(':memory:')
  try {
    const steps = recordSteps()
    const names = planMigration(database, model, sdl, { data, allowBreaking }, steps)
    if (drop) {
      const forgotten = planDroppedColumns(names)
      for (const statement of forgotten.statements) steps.run(statement)
      if (forgotten.statements.length > 0) steps.run(saveNames(JSON.stringify(forgotten.names)))
    }
    return steps.list
  } finally {
    database.close()
  }
}
