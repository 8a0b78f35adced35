// At each start: compares the schema file with the schema that was last served. Allowed changes are made in one transaction
// with the new schema. Any other change stops the start with a list, and nothing is touched. Before data is left behind, the
// whole database is copied.

import type { DatabaseSync } from 'node:sqlite'
import type { Log } from '#base'
import { wallTime } from '#base/time'
import type { Model } from '#model'
import {
  type MigrationFile,
  noteUnfilled,
  selectFinishedMigrations,
  typesToChange,
} from '../../system/data-migrations.ts'
import { selectLastUses, toLastUses, type UsedRow } from '../../system/usage/usage-tables.ts'
import { allKeyColumns, type Layout, layOut } from '../../tables/layout.ts'
import { quoteText } from '../../tables/quote.ts'
import { type MigrationEffects, refuseBreaking, type ServedSchema } from '../../tables/refuse-breaking.ts'
import { hasRetiredNames, returningNames } from '../../tables/returning-names.ts'
import { rememberServed } from '../../tables/served-model.ts'
import type { StorageNames } from '../../tables/storage-names.ts'
import { referencesInHistory } from '../../tables/stored-references.ts'
import { backUpBeforeChange } from '../backup/backup.ts'
import { readCatalogue, refuseForeignObjects } from './catalogue.ts'
import { estimateDowntime } from './estimate-downtime.ts'
import { restoreForeignKeys } from './foreign-keys.ts'
import { indexesByName, missingIndexes } from './indexes.ts'
import { executeSteps, type MigrationSteps } from './migration-steps.ts'
import { createSystemTables, createTables, systemTables } from './tables.ts'
import { repairKeys } from './text-keys.ts'

interface MigrateFolderOptions {
  /** The data folder. */
  data: string
  /** Whether changes may break clients. */
  allowBreaking: boolean
  /** The data migrations that run before the schema is served. */
  migrations?: readonly MigrationFile[] | undefined
  /** Whether the keys of all texts are checked: an older Twain may have written texts without. */
  checksKeys?: true
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
    const catalogue = readCatalogue(database)
    const previous = catalogue.made === null ? null : readServedSchema(database)
    const served = structuredClone(previous?.names ?? null)
    const isFilled = previous !== null && fillReferences(database, previous)
    const checked =
      previous !== null && previous.sdl !== sdl ? checkChanges(database, previous, model, sdl, folder) : null
    const { layout, names } = layOut(model, previous?.names ?? null)
    refuseForeignObjects(catalogue, served, names, indexesByName(model, layout), folder.data)
    if (checked?.losesData) backUpBeforeChange(folder.data, folder.log, dataLeftBehind)
    for (const warning of checked?.warnings ?? []) folder.log?.warn({}, warning)
    createSystemTables(database)
    if (previous?.sdl !== sdl || layout.unkeyed.length > 0) {
      if (previous !== null) estimateDowntime(database, missingIndexes(database, model, layout), layout, folder.log)
      createTables(database, model, layout, steps)
      for (const statement of noteUnfilled(checked?.unfilled ?? [], names)) steps.run(statement)
      steps.run(previous?.sdl === sdl ? saveNames(names) : saveSchema(sdl, names))
    } else if (isFilled) database.exec(saveNames(names))
    if (folder.checksKeys) repairKeys(database, allKeyColumns(layout), steps)
    restoreForeignKeys(database, layout.references, steps, folder.log)
    database.exec('COMMIT')
    rememberServed(sdl, model)
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
  const catalogue = readCatalogue(database)
  const isNew = catalogue.made === null
  const previous = isNew ? null : readServedSchema(database)
  const served = structuredClone(previous?.names ?? null)
  if (previous !== null) fillReferences(database, previous)
  const isServed = previous?.sdl === sdl
  const checked = previous === null || isServed ? null : checkChanges(database, previous, model, sdl, folder)
  const { layout, names } = layOut(model, previous?.names ?? null)
  refuseForeignObjects(catalogue, served, names, indexesByName(model, layout), folder.data)
  if (isNew) steps.run(systemTables.trim())
  if (isServed) {
    if (layout.unkeyed.length > 0) {
      createTables(database, model, layout, steps)
      steps.run(saveNames(names))
    }
    restoreForeignKeys(database, layout.references, steps, folder.log)
    return names
  }
  if (checked?.losesData) steps.perform(`the file is copied into ${folder.data}/backups`, () => {})
  createTables(database, model, layout, steps)
  for (const statement of noteUnfilled(checked?.unfilled ?? [], names)) steps.run(statement)
  steps.run(saveSchema(sdl, names))
  restoreForeignKeys(database, layout.references, steps, folder.log)
  return names
}

export function tableExists(database: DatabaseSync, table: string): boolean {
  return database.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`).get(table) !== undefined
}

function saveSchema(sdl: string, names: StorageNames): string {
  const values = [sdl, JSON.stringify(names), new Date(wallTime()).toISOString()].map(quoteText).join(', ')
  return `INSERT INTO twain_schema (sdl, names, since) VALUES (${values})`
}

/** Of the schema that was last served. */
export function saveNames(names: StorageNames): string {
  return `UPDATE twain_schema SET names = ${quoteText(JSON.stringify(names))} WHERE n = (SELECT max(n) FROM twain_schema)`
}

/** Adds the stored references if an earlier build saved the names without them; returns whether it did. */
function fillReferences(database: DatabaseSync, { names }: ServedSchema): boolean {
  if (names.references !== undefined) return false
  names.references = referencesInHistory(servedSchemas(database, 'ASC'), names)
  return true
}

/** All schemas that were served. */
function servedSchemas(database: DatabaseSync, order: 'ASC' | 'DESC'): ServedSchema[] {
  const rows = database.prepare(`SELECT sdl, names FROM twain_schema ORDER BY n ${order}`).all()
  return rows.map(({ sdl, names }) => ({ sdl: sdl as string, names: JSON.parse(names as string) as StorageNames }))
}

function checkChanges(
  database: DatabaseSync,
  previous: ServedSchema,
  model: Model,
  sdl: string,
  { data, allowBreaking, migrations = [] }: MigrateFolderOptions,
): MigrationEffects {
  const wayOut = `start afresh in another folder (--data) or, if the rows may go, delete this one: rm -r ${data}`
  const again = namesServedWith(database, sdl)
  const earlierNames = again ?? earlierNamesOf(database, model, previous)
  // A file of an older Twain that is only read has no usage table yet.
  const rows = tableExists(database, 'twain_usage') ? database.prepare(selectLastUses).all() : []
  const uses = toLastUses(rows as unknown as UsedRow[])
  const finished = tableExists(database, 'twain_data_migration') ? database.prepare(selectFinishedMigrations).all() : []
  const migratedTypes = typesToChange(
    migrations,
    finished.map(({ name }) => name as string),
  )
  const check = refuseBreaking(
    previous,
    { model, wasServed: again !== null, earlierNames, allowBreaking, uses, migratedTypes },
    { name: data, alternative: wayOut },
  )
  let select = check.next()
  while (!select.done) select = check.next(selectRows(database, select.value))
  return select.value
}

export function selectRows(database: DatabaseSync, sql: string): unknown[][] {
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  return statement.all() as unknown as unknown[][]
}

function earlierNamesOf(database: DatabaseSync, model: Model, { names }: ServedSchema): StorageNames {
  if (!hasRetiredNames(names)) return { tables: {}, links: {} }
  return returningNames(model, servedSchemas(database, 'DESC'), names)
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
