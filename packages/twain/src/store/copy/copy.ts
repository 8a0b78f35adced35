// `twain copy`: a whole service from one database to another, of either kind. What a service is stands in
// `copied-tables.ts`; versions, row numbers, positions in the change log and the log's name stay the same, so that tags,
// cursors and tokens which clients hold count at the target too.

import { loadModel } from '#model'
import { layOut } from '../layout.ts'
import { StartRefused } from '../start-refused.ts'
import { type CopiedTable, copiedTables } from './copied-tables.ts'
import type { Batch, Source, Target } from './ends.ts'
import { openPostgresSource } from './postgres-source.ts'
import { openPostgresTarget } from './postgres-target.ts'
import { openSqliteSource } from './sqlite-source.ts'
import { openSqliteTarget } from './sqlite-target.ts'

/** A data folder, or the address of a PostgreSQL database. */
export type CopyPlace = { kind: 'folder'; folder: string } | { kind: 'database'; address: string }

export interface Copied {
  from: string
  to: string
  tables: number
  rows: number
}

/** Told again and again: how many rows of all, and the table that is copied just now (null: indexes are made). */
export type Progress = (done: number, all: number, table: string | null) => void

/** Throws StartRefused; then the target is as it was. `stop` ends it so. */
export async function copyService(
  from: CopyPlace,
  to: CopyPlace,
  progress: Progress,
  stop: AbortSignal,
): Promise<Copied> {
  const source = await (from.kind === 'folder' ? openSqliteSource(from.folder) : openPostgresSource(from.address))
  try {
    const target = await (to.kind === 'folder' ? openSqliteTarget(to.folder) : openPostgresTarget(to.address))
    try {
      return await copyAll(source, target, progress, stop)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function copyAll(source: Source, target: Target, progress: Progress, stop: AbortSignal): Promise<Copied> {
  const model = loadModel(source.contract.sdl, '')
  if (model.file !== null) throw new StartRefused('This service holds files, and a copy does not take those along yet.')
  const { layout } = layOut(model, source.contract.names)
  const tables = copiedTables(layout)
  await target.prepare(model, layout, tables)
  const counts = new Map<CopiedTable, number>()
  for (const table of tables) counts.set(table, await source.count(table))
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  let done = 0
  for (const table of tables) await target.take(table, counted(source.rows(table), table))
  progress(done, all, null)
  await target.complete(source.log)
  for (const [table, count] of counts) compare(table, count, await target.count(table))
  await target.finish()
  return { from: source.place, to: target.place, tables: tables.length, rows: all }

  async function* counted(batches: AsyncIterable<Batch>, { name }: CopiedTable): AsyncGenerator<Batch> {
    for await (const batch of batches) {
      if (stop.aborted) throw new StartRefused('The copy was stopped; the target is as it was.')
      yield batch
      done += batch.length
      progress(done, all, name)
    }
  }
}

function compare({ name }: CopiedTable, sent: number, there: number): void {
  if (sent === there) return
  throw new StartRefused(`Of ${sent} rows of ${name}, ${there} are at the target. Nothing was kept there.`)
}
