// At each start: compares the schema file with the schema that was last served. Allowed changes are made in one transaction
// with the new schema. Any other change stops the start with a list, and nothing is touched. Before data is left behind, the
// whole database is copied.

import type { DatabaseSync } from 'node:sqlite'
import type { Log } from '#base'
import type { Model } from '#model'
import { selectLastUses, toLastUses, type UsedRow } from '../../system/usage-tables.ts'
import { type Layout, layOut } from '../../tables/layout.ts'
import { quoteText } from '../../tables/quote.ts'
import { type MigrationEffects, refuseBreaking, type ServedSchema } from '../../tables/refuse-breaking.ts'
import type { StorageNames } from '../../tables/storage-names.ts'
import { backUpBeforeChange } from '../backup/backup.ts'
import { estimateDowntime } from './estimate-downtime.ts'
import { missingIndexes } from './indexes.ts'
import { executeSteps, type MigrationSteps } from './migration-steps.ts'
import { createSystemTables, createTables, systemTables } from './tables.ts'

interface MigrateFolderOptions {
  /** The data folder. */
  data: string
  /** Whether changes may break clients. */
  allowBreaking: boolean
  log?: Log
}

export function migrate(
  database: DatabaseSync,
  model: Model,
  sdl: string,
  folder: MigrateFolderOptions,
  steps: MigrationSteps = executeSteps(database),
): Layout {
  database.exec('BEGIN IMMEDIATE')
  try {
    createSystemTables(database)
    const previous = readServedSchema(database)
    const checked =
      previous !== null && previous.sdl !== sdl ? checkChanges(database, previous, model, sdl, folder) : null
    if (checked?.losesData) backUpBeforeChange(folder.data, folder.log, dataLeftBehind)
    for (const warning of checked?.warnings ?? []) folder.log?.warn({}, warning)
    const { layout, names } = layOut(model, previous?.names ?? null)
    if (previous === null || previous.sdl !== sdl) {
      if (previous !== null) estimateDowntime(database, missingIndexes(database, model, layout), layout, folder.log)
      createTables(database, model, layout, steps)
      steps.run(saveSchema(sdl, names))
    }
    database.exec('COMMIT')
    return layout
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

const dataLeftBehind = 'database backed up: the schema file no longer has fields or types that hold data'

/** Records what `migrate` would do, and returns the storage names. Only reads the database. */
export function planMigration(
  database: DatabaseSync,
  model: Model,
  sdl: string,
  folder: MigrateFolderOptions,
  steps: MigrationSteps,
): StorageNames {
  const isNew = !tableExists(database, 'twain_schema')
  if (isNew) steps.run(systemTables.trim())
  const previous = isNew ? null : readServedSchema(database)
  if (previous?.sdl === sdl) return previous.names
  const checked = previous === null ? null : checkChanges(database, previous, model, sdl, folder)
  if (checked?.losesData) steps.perform(`the file is copied into ${folder.data}/backups`, () => {})
  const { layout, names } = layOut(model, previous?.names ?? null)
  createTables(database, model, layout, steps)
  steps.run(saveSchema(sdl, names))
  return names
}

function tableExists(database: DatabaseSync, table: string): boolean {
  return database.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`).get(table) !== undefined
}

function saveSchema(sdl: string, names: StorageNames): string {
  const values = [sdl, JSON.stringify(names), new Date().toISOString()].map(quoteText).join(', ')
  return `INSERT INTO twain_schema (sdl, names, since) VALUES (${values})`
}

function checkChanges(
  database: DatabaseSync,
  previous: ServedSchema,
  model: Model,
  sdl: string,
  { data, allowBreaking }: MigrateFolderOptions,
): MigrationEffects {
  const wayOut = `start afresh in another folder (--data) or, if the rows may go, delete this one: rm -r ${data}`
  const again = namesServedWith(database, sdl)
  // A file of an older Twain that is only read has no usage table yet.
  const rows = tableExists(database, 'twain_usage') ? database.prepare(selectLastUses).all() : []
  const uses = toLastUses(rows as unknown as UsedRow[])
  const check = refuseBreaking(
    previous,
    { model, earlierNames: again, allowBreaking, uses },
    { name: data, alternative: wayOut },
  )
  let select = check.next()
  while (!select.done) select = check.next(database.prepare(select.value).get() !== undefined)
  return select.value
}

function namesServedWith(database: DatabaseSync, sdl: string): StorageNames | null {
  const row = database.prepare('SELECT names FROM twain_schema WHERE sdl = ? ORDER BY n DESC LIMIT 1').get(sdl)
  return row === undefined ? null : (JSON.parse(row.names as string) as StorageNames)
}

export function readServedSchema(database: DatabaseSync): ServedSchema | null {
  const row = database.prepare('SELECT sdl, names FROM twain_schema ORDER BY n DESC LIMIT 1').get()
  if (row === undefined) return null
  const { sdl, names } = row as { sdl: string; names: string }
  return { sdl, names: JSON.parse(names) as StorageNames }
}
