// On start: the contract of the file against the one that was last served. Additive changes are made, in one transaction
// with the new contract; anything else stops the start with a list, and nothing is touched.

import type { DatabaseSync } from 'node:sqlite'
import type { Model } from '#model'
import { type Layout, type LayoutNames, layOut } from '../layout.ts'
import { type Former, refuseBreaking } from '../refuse-breaking.ts'
import { makeTables, ownTables } from './tables.ts'

interface Folder {
  /** Where the data lies, for the sentences. */
  data: string
  /** Whether a change that loses nothing may pass. */
  forgetting: boolean
}

export function migrate(database: DatabaseSync, model: Model, sdl: string, folder: Folder): Layout {
  database.exec('BEGIN IMMEDIATE')
  try {
    database.exec(ownTables)
    const former = lastServed(database)
    if (former !== null && former.sdl !== sdl) follow(database, former, model, folder)
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

function follow(database: DatabaseSync, former: Former, model: Model, { data, forgetting }: Folder): void {
  const wayOut = `start afresh in another folder (--data) or, if the rows may go, delete this one: rm -r ${data}`
  const judging = refuseBreaking(former, model, { name: data, wayOut }, forgetting)
  let asked = judging.next()
  while (!asked.done) asked = judging.next(database.prepare(asked.value).get() !== undefined)
}

function lastServed(database: DatabaseSync): Former | null {
  const row = database.prepare('SELECT sdl, names FROM twain_contract ORDER BY n DESC LIMIT 1').get()
  if (row === undefined) return null
  const { sdl, names } = row as { sdl: string; names: string }
  return { sdl, names: JSON.parse(names) as LayoutNames }
}
