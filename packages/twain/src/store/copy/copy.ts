// `twain copy`: copies a whole service from one database to another, of either kind (`copied-tables.ts` lists the tables).
// Versions, row numbers, positions in the change log and the id of the log stay the same, so the ETags, cursors and tokens of
// clients are valid at the target too.

import { loadModel } from '#model'
import { layOut } from '../tables/layout.ts'
import { StartRefused } from '../tables/start-refused.ts'
import { type CopiedTable, copiedTables } from './copied-tables.ts'
import { checkFiles, copyFiles, type FilesToCopy } from './copy-files.ts'
import type { CopySource, CopyTarget, RowBatch } from './ends.ts'
import { openPostgresSource } from './postgres-source.ts'
import { openPostgresTarget } from './postgres-target.ts'
import { openSqliteSource } from './sqlite-source.ts'
import { openSqliteTarget } from './sqlite-target.ts'

/** A data folder, or the address of a PostgreSQL database. */
export type CopyLocation = { kind: 'folder'; folder: string } | { kind: 'database'; address: string }

export interface CopyReport {
  from: string
  to: string
  tables: number
  rows: number
  files: FilesToCopy
}

/** How much there is to copy, or is already copied. */
export interface CopyAmount {
  rows: number
  /** Bytes of files. */
  bytes: number
}

/** Called repeatedly with what is done, the total, and the table that is being copied (null: indexes are being built). */
export type ReportProgress = (done: CopyAmount, all: CopyAmount, what: string | null) => void

/** Throws StartRefused on failure, or when `stop` is aborted; then the target is unchanged. */
export async function copyService(
  from: CopyLocation,
  to: CopyLocation,
  progress: ReportProgress,
  stop: AbortSignal,
): Promise<CopyReport> {
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

async function copyAll(
  source: CopySource,
  target: CopyTarget,
  progress: ReportProgress,
  stop: AbortSignal,
): Promise<CopyReport> {
  const model = loadModel(source.schema.sdl, '')
  const { layout } = layOut(model, source.schema.names)
  const tables = copiedTables(layout)
  const files = await checkFiles(source)
  await target.prepare(model, layout, tables)
  const counts = new Map<CopiedTable, number>()
  for (const table of tables) counts.set(table, await source.count(table))
  const all = { rows: [...counts.values()].reduce((sum, count) => sum + count, 0), bytes: files.bytes }
  const done = { rows: 0, bytes: 0 }
  for (const table of tables) await target.take(table, counted(source.rows(table), table))
  await copyFiles(source, target, (bytes) => {
    throwIfStopped()
    done.bytes += bytes
    progress(done, all, 'files')
  })
  progress(done, all, null)
  await target.complete(source.log)
  for (const [table, count] of counts) compare(`rows of ${table.name}`, count, await target.count(table))
  compare('files', files.count, await target.countFiles())
  await target.finish()
  return { from: source.place, to: target.place, tables: tables.length, rows: all.rows, files }

  async function* counted(batches: AsyncIterable<RowBatch>, { name }: CopiedTable): AsyncGenerator<RowBatch> {
    for await (const batch of batches) {
      throwIfStopped()
      yield batch
      done.rows += batch.length
      progress(done, all, name)
    }
  }

  function throwIfStopped(): void {
    if (stop.aborted) throw new StartRefused('The copy was stopped; the target is as it was.')
  }
}

function compare(what: string, sent: number, there: number): void {
  if (sent === there) return
  throw new StartRefused(`Of ${sent} ${what}, ${there} are at the target. The copy was rolled back.`)
}
