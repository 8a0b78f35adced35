// `twain copy`: copies a whole service from one database to another, of either kind (`stored-tables.ts` finds the tables).
// Row numbers, versions and positions in the change log stay the same. If the copy takes the place of the original, the ETags,
// cursors and tokens of clients are valid there too. `staging.ts` says what is different in a copy for tests.

import { loadModel } from '#model'
import { layOut } from '../tables/layout.ts'
import { StartRefused } from '../tables/start-refused.ts'
import { checkFiles, copyFiles, type FilesToCopy } from './copy-files.ts'
import type { CopySource, CopyTarget } from './ends.ts'
import { openPostgresSource } from './postgres-source.ts'
import { openPostgresTarget } from './postgres-target.ts'
import type { RowBatch } from './row-batch.ts'
import { openSqliteSource } from './sqlite-source.ts'
import { openSqliteTarget } from './sqlite-target.ts'
import { type CopyPurpose, logFor, rowsFor, tablesFor } from './staging.ts'
import type { StoredTable } from './stored-tables.ts'
import { TableDigest } from './table-digest.ts'

/** A data folder, or the address of a PostgreSQL database. */
export type CopyLocation = { kind: 'folder'; folder: string } | { kind: 'database'; address: string }

export interface CopyReport {
  from: string
  to: string
  tables: number
  rows: number
  files: FilesToCopy
  /** Tables and columns that Twain did not create, and did not copy. */
  leftBehind: string[]
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
  purpose: CopyPurpose,
  progress: ReportProgress,
  stop: AbortSignal,
): Promise<CopyReport> {
  const source = await (from.kind === 'folder' ? openSqliteSource(from.folder) : openPostgresSource(from.address))
  try {
    const target = await (to.kind === 'folder' ? openSqliteTarget(to.folder) : openPostgresTarget(to.address))
    try {
      return await copyAll(source, target, purpose, progress, stop)
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
  purpose: CopyPurpose,
  progress: ReportProgress,
  stop: AbortSignal,
): Promise<CopyReport> {
  const model = loadModel(source.schema.sdl, '')
  const { layout } = layOut(model, source.schema.names)
  const { leftBehind } = source.tables
  const tables = tablesFor(purpose, source.tables.tables)
  const files = await checkFiles(source)
  await target.prepare(model, layout, tables)
  const all = { rows: 0, bytes: files.bytes }
  for (const table of tables) all.rows += await source.count(table)
  const done = { rows: 0, bytes: 0 }
  const sent = new Map<StoredTable, TableDigest>()
  for (const table of tables) await target.take(table, digested(rowsFor(purpose, table, source.rows(table)), table))
  await copyFiles(source, target, (bytes) => {
    throwIfStopped()
    done.bytes += bytes
    progress(done, all, 'files')
  })
  progress(done, all, null)
  await target.complete(logFor(purpose, source.log))
  for (const [table, digest] of sent) compareRows(table, digest, await digestOf(target.rows(table)))
  compareCounts('files', files.count, await target.countFiles())
  await target.finish()
  return { from: source.place, to: target.place, tables: tables.length, rows: done.rows, files, leftBehind }

  async function* digested(batches: AsyncIterable<RowBatch>, table: StoredTable): AsyncGenerator<RowBatch> {
    const digest = new TableDigest()
    sent.set(table, digest)
    for await (const batch of batches) {
      throwIfStopped()
      digest.add(batch)
      yield batch
      done.rows += batch.length
      progress(done, all, table.name)
    }
  }

  function throwIfStopped(): void {
    if (stop.aborted) throw new StartRefused('The copy was stopped; the target is as it was.')
  }
}

async function digestOf(batches: AsyncIterable<RowBatch>): Promise<TableDigest> {
  const digest = new TableDigest()
  for await (const batch of batches) digest.add(batch)
  return digest
}

function compareRows({ name, columns }: StoredTable, sent: TableDigest, there: TableDigest): void {
  compareCounts(`rows of ${name}`, sent.rows, there.rows)
  if (sent.hash() === there.hash()) return
  const compared = columns.map((column) => column.name).join(', ')
  throw new StartRefused(
    `The rows of ${name} at the target are not those of the source: the checksum over ${compared} is another. The copy was rolled back.`,
  )
}

function compareCounts(what: string, sent: number, there: number): void {
  if (sent === there) return
  throw new StartRefused(`Of ${sent} ${what}, ${there} are at the target. The copy was rolled back.`)
}
