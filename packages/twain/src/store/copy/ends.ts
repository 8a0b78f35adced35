// The two ends of a copy, whichever database they are. Rows go in batches; their values are those that SQLite keeps, but
// that a truth may be one (`compile/encode.ts`). Files go in chunks, all of one size but for the last of each; an empty file
// has one too.

import type { Model } from '#model'
import type { Layout } from '../tables/layout.ts'
import type { ServedSchema } from '../tables/refuse-breaking.ts'
import type { CopiedTable } from './copied-tables.ts'

export type Cell = string | number | null
export type RowBatch = Cell[][]

/** Which log it is, and the last position that was given in it. */
export interface LogPosition {
  id: string
  last: number
}

/** Bytes that rows of `twain_file` know, once however many do. */
export interface CopiedFile {
  key: string
  /** What its rows say. */
  size: number
  /** Of one of its rows. */
  id: string
}

/** Each is good until the next is asked for. */
export type ByteChunks = AsyncGenerator<Uint8Array, void>

/** All of it as of one moment. */
export interface CopySource {
  /** For sentences: never a password. */
  place: string
  schema: ServedSchema
  log: LogPosition
  count(table: CopiedTable): Promise<number>
  rows(table: CopiedTable): AsyncIterable<RowBatch>
  /** The next ones behind this key, in order; none when there are no more. Also those whose bytes are in other storage. */
  filesAfter(key: string): Promise<CopiedFile[]>
  /** Where the bytes should be, for sentences, and how many are there; null for none at all. */
  findBytes(key: string): Promise<{ at: string; size: number | null }>
  bytes(key: string): ByteChunks
  close(): Promise<void>
}

/** Nothing of it can be served before `finish`; `close` without it leaves nothing behind. */
export interface CopyTarget {
  place: string
  /** Makes the tables; throws StartRefused where there are some. */
  prepare(model: Model, layout: Layout, tables: readonly CopiedTable[]): Promise<void>
  take(table: CopiedTable, batches: AsyncIterable<RowBatch>): Promise<void>
  takeBytes(key: string, chunks: ByteChunks): Promise<void>
  /** As they are now, to be compared. */
  bytes(key: string): ByteChunks
  /** Indexes, keys, counters and the log's mark. */
  complete(log: LogPosition): Promise<void>
  count(table: CopiedTable): Promise<number>
  countFiles(): Promise<number>
  /** From here on it is a service. */
  finish(): Promise<void>
  close(): Promise<void>
}

/** Few enough that most are garbage before the collector has moved them among what lasts. */
export const rowsInBatch = 200

/** What `filesAfter` asks, with places for the key and for how many. */
export function filesAfter(key: string, most: string): string {
  return `SELECT bytes AS key, min(size) AS size, min(id) AS id FROM twain_file WHERE bytes > ${key} GROUP BY bytes ORDER BY bytes LIMIT ${most}`
}
