// On start: the contract of the file against the one that was last served. Additive changes are made, in one transaction
// with the new contract; anything else stops the start with a list, and nothing is touched.

import type { DatabaseSync } from 'node:sqlite'
import { compareModels, loadModel, type Model } from '#model'
import { type Layout, type LayoutNames, layOut } from '../layout.ts'
import { StartRefused } from '../start-refused.ts'
import { makeTables, ownTables } from './tables.ts'

export function migrate(database: DatabaseSync, model: Model, sdl: string): Layout {
  database.exec('BEGIN IMMEDIATE')
  try {
    database.exec(ownTables)
    const former = lastServed(database)
    if (former !== null && former.sdl !== sdl) refuseBreaking(former.sdl, model)
    const { layout, names } = layOut(model, former?.names ?? null)
    if (former === null || former.sdl !== sdl) {
      makeTables(database, model, layout)
      database
        .prepare('INSERT INTO twain_contract (sdl, names, since) VALUES (?, ?, ?)')
        .run(sdl, JSON.stringify(names), new Date().toISOString())
    }
    database.exec('COMMIT')
    return layout
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

function lastServed(database: DatabaseSync): { sdl: string; names: LayoutNames } | null {
  const row = database.prepare('SELECT sdl, names FROM twain_contract ORDER BY n DESC LIMIT 1').get()
  if (row === undefined) return null
  const { sdl, names } = row as { sdl: string; names: string }
  return { sdl, names: JSON.parse(names) as LayoutNames }
}

function refuseBreaking(formerSdl: string, model: Model): void {
  const former = loadModel(formerSdl, 'the schema that was last served')
  const breaking = compareModels(former, model).filter(({ kind }) => kind === 'breaking')
  if (breaking.length === 0) return
  const list = breaking.map(({ path, message }) => `  - ${path}: ${message}`).join('\n')
  throw new StartRefused(
    `The schema changes what the data was written with, in ways that Twain can't make by itself yet:\n${list}\n` +
      'Nothing was changed. Undo these, or start with an empty folder (--data).',
  )
}
