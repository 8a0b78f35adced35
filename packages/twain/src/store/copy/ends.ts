// The two ends of a copy, on either database. Rows go in batches (`row-batch.ts`). Files go in chunks, all of one size except
// for the last of each; an empty file has one chunk too.

import type { Model } from '#model'
import type { ByteChunks } from '../system/files/disk-chunks.ts'
import type { Layout } from '../tables/layout.ts'
import type { ServedSchema } from '../tables/refuse-breaking.ts'
import { StartRefused } from '../tables/start-refused.ts'
import type { RowBatch } from './row-batch.ts'
import type { CatalogTable, StoredTable, TablesToCopy } from './stored-tables.ts'

/** The id of the change log, and its last assigned position. */
export interface LogPosition {
  id: string
  last: number
}

/** Bytes that rows of `twain_file` refer to; listed once, however many rows do. */
export interface CopiedFile {
  key: string
  /** The size that its rows state. */
  size: number
  /** The id of one of its rows. */
  id: string
}

/** A consistent snapshot of a service. */
export interface CopySource {
  /** For messages; never contains a password. */
  place: string
  /** The schema that was last served. */
  schema: ServedSchema
  tables: TablesToCopy
  log: LogPosition
  count(table: StoredTable): Promise<number>
  rows(table: StoredTable): AsyncIterable<RowBatch>
  /** The next files after this key, in order; an empty list: no more. Includes files whose bytes are in external storage. */
  filesAfter(key: string): Promise<CopiedFile[]>
  /** Where the bytes should be, for messages, and how many are there; null: they are missing. */
  findBytes(key: string): Promise<{ at: string; size: number | null }>
  bytes(key: string): ByteChunks
  close(): Promise<void>
}

/** Nothing can be served before `finish`; `close` without `finish` leaves nothing behind. */
export interface CopyTarget {
  place: string
  /** Creates the tables; throws StartRefused if some exist. */
  prepare(model: Model, layout: Layout, tables: readonly StoredTable[]): Promise<void>
  take(table: StoredTable, batches: AsyncIterable<RowBatch>): Promise<void>
  takeBytes(key: string, chunks: ByteChunks): Promise<void>
  /** Reads the copied bytes, for comparison. */
  bytes(key: string): ByteChunks
  /** Creates indexes and keys, and sets counters and the log's position. */
  complete(log: LogPosition): Promise<void>
  /** Reads the copied rows, for comparison. */
  rows(table: StoredTable): AsyncIterable<RowBatch>
  countFiles(): Promise<number>
  /** Makes the copy visible: from here on it can be served. */
  finish(): Promise<void>
  close(): Promise<void>
}

/** Throws StartRefused if the source has columns in system tables that this Twain does not create. */
export function expectKnownColumns(tables: readonly StoredTable[], created: readonly CatalogTable[]): void {
  const known = new Set(created.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`)))
  for (const { name, kind, columns } of tables) {
    const unknown = columns.find((column) => kind === 'system' && !known.has(`${name}.${column.name}`))
    if (unknown === undefined) continue
    throw new StartRefused(
      `This Twain does not know the column ${unknown.name} of ${name}: a newer version made it. Copy with that version.`,
    )
  }
}

/** The statement of `filesAfter`, with placeholders for the key and the limit. */
export function filesAfter(key: string, limit: string): string {
  return `SELECT bytes AS key, min(size) AS size, min(id) AS id FROM twain_file WHERE bytes > ${key} GROUP BY bytes ORDER BY bytes LIMIT ${limit}`
}
