// On start: the contract of the file against the one that was last served. What it may change is changed, in one transaction
// with the new contract; anything else stops the start with a list, and nothing is touched. Before anything that rows hold
// is forgotten, a copy of the whole database is put beside it.

import type { DatabaseSync } from 'node:sqlite'
import type { Log } from '#base'
import type { Model } from '#model'
import { selectLastUses, toLastUses, type UsedRow } from '../../system/usage-tables.ts'
import { type Layout, layOut } from '../../tables/layout.ts'
import { quoteText } from '../../tables/quote.ts'
import { type MigrationEffects, refuseBreaking, type ServedSchema } from '../../tables/refuse-breaking.ts'
import type { StorageNames } from '../../tables/storage-names.ts'
import { keepCopy } from '../backup/keep-copy.ts'
import { loosen } from './drop-foreign-keys.ts'
import { foretellPause } from './estimate-downtime.ts'
import { doing, type Steps } from './migration-steps.ts'
import { makeTables, missingIndexes, ownTables } from './tables.ts'

interface Folder {
  /** Where the data lies. */
  data: string
  /** Whether clients may break. */
  allowBreaking: boolean
  log?: Log
}

export function migrate(
  database: DatabaseSync,
  model: Model,
  sdl: string,
  folder: Folder,
  steps: Steps = doing(database),
): Layout {
  database.exec('BEGIN IMMEDIATE')
  try {
    database.exec(ownTables)
    const former = lastServed(database)
    const followed = former !== null && former.sdl !== sdl ? follow(database, former, model, sdl, folder) : null
    if (followed?.losesData) keepCopy(folder.data, folder.log, leftBehind)
    for (const warning of followed?.warnings ?? []) folder.log?.warn({}, warning)
    const { layout, names } = layOut(model, former?.names ?? null)
    if (former === null || former.sdl !== sdl) {
      if (former !== null) foretellPause(database, missingIndexes(database, model, layout), layout, folder.log)
      makeTables(database, model, layout, steps)
      steps.run(keepContract(sdl, names))
    }
    if (followed !== null) loosen(database, followed.released, steps)
    database.exec('COMMIT')
    return layout
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

const leftBehind =
  'the schema file no longer has fields or types that hold data: a copy of the database from before is kept'

/** Writes down what `migrate` would do, and gives the names that would then be kept. The database is only read. */
export function migrationOf(
  database: DatabaseSync,
  model: Model,
  sdl: string,
  folder: Folder,
  steps: Steps,
): StorageNames {
  const isNew = !isThere(database, 'twain_contract')
  if (isNew) steps.run(ownTables.trim())
  const former = isNew ? null : lastServed(database)
  if (former?.sdl === sdl) return former.names
  const followed = former === null ? null : follow(database, former, model, sdl, folder)
  if (followed?.losesData) steps.work(`a copy of the file is put into ${folder.data}/backups`, () => {})
  const { layout, names } = layOut(model, former?.names ?? null)
  makeTables(database, model, layout, steps)
  steps.run(keepContract(sdl, names))
  if (followed !== null) loosen(database, followed.released, steps)
  return names
}

function isThere(database: DatabaseSync, table: string): boolean {
  return database.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`).get(table) !== undefined
}

function keepContract(sdl: string, names: StorageNames): string {
  const values = [sdl, JSON.stringify(names), new Date().toISOString()].map(quoteText).join(', ')
  return `INSERT INTO twain_contract (sdl, names, since) VALUES (${values})`
}

function follow(
  database: DatabaseSync,
  former: ServedSchema,
  model: Model,
  sdl: string,
  { data, allowBreaking }: Folder,
): MigrationEffects {
  const wayOut = `start afresh in another folder (--data) or, if the rows may go, delete this one: rm -r ${data}`
  const again = servedAs(database, sdl)
  // A file that an older Twain made, and that is only looked at, has none yet.
  const rows = isThere(database, 'twain_usage') ? database.prepare(selectLastUses).all() : []
  const uses = toLastUses(rows as unknown as UsedRow[])
  const judging = refuseBreaking(
    former,
    { model, earlierNames: again, allowBreaking, uses },
    { name: data, alternative: wayOut },
  )
  let asked = judging.next()
  while (!asked.done) asked = judging.next(database.prepare(asked.value).get() !== undefined)
  return asked.value
}

function servedAs(database: DatabaseSync, sdl: string): StorageNames | null {
  const row = database.prepare('SELECT names FROM twain_contract WHERE sdl = ? ORDER BY n DESC LIMIT 1').get(sdl)
  return row === undefined ? null : (JSON.parse(row.names as string) as StorageNames)
}

export function lastServed(database: DatabaseSync): ServedSchema | null {
  const row = database.prepare('SELECT sdl, names FROM twain_contract ORDER BY n DESC LIMIT 1').get()
  if (row === undefined) return null
  const { sdl, names } = row as { sdl: string; names: string }
  return { sdl, names: JSON.parse(names) as StorageNames }
}
