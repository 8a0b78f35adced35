// What is kept of files beside their bytes: a row for each upload, which fields of type `File` refer to. Files gives it its
// meaning; a store keeps it, in a table that plans read like any other (`layout.ts`). None of it is in the change log.
//
// A row that another row holds is never forgotten: whether one does is asked by the statement that forgets.

import type { IdempotencyKey, Viewer } from '#base'

export interface FileRecords {
  /** Null where their bytes are kept elsewhere than in the database. */
  readonly chunks: FileChunks | null
  /** `viewer` is who reads it next. */
  add(record: FileRecord, viewer: Viewer): Promise<void>
  /** The same under a key, in one transaction: gives the id of the file that was made under it, this one or one before.
   *  Throws a Fault when the key was used for something else. */
  addIdempotent(record: FileRecord, viewer: Viewer, once: IdempotencyKey): Promise<string>
  /** Those of them that no row holds, at once. Where their bytes are; other files may have the same. */
  deleteUnheld(ids: readonly string[]): Promise<string[]>
  /** Goes through at most so many, in the order of their ids, and forgets those that no row holds and that were made before
   *  this time: a portion of the table, so that the writer is never kept long. */
  sweep(portion: SweepPortion): Promise<SweepResult>
  /** Which of these bytes no file has. */
  unused(bytes: readonly string[]): Promise<string[]>
}

/** The bytes of files in a database: in chunks of one size, but for the last one of a file. */
export interface FileChunks {
  readonly size: number
  /** They count from 0. `since` is now, as its keeper counts. */
  add(key: string, n: number, since: number, bytes: Uint8Array): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** From a place in it, at most so many; null where there is no such chunk. */
  read(key: string, n: number, start: number, length: number): Promise<Uint8Array | null>
  remove(keys: readonly string[]): Promise<void>
  /** The first keys behind this one whose bytes began to be added before this time. */
  keys(after: string, before: number, most: number): Promise<string[]>
}

export interface SweepPortion {
  /** The id behind which it begins; empty: at the first. */
  after: string
  most: number
  before: number
}

export interface SweepResult {
  /** Of what was forgotten. */
  bytes: string[]
  /** Where the next portion begins; empty when this was the last. */
  next: string
}

export interface FileRecord {
  id: string
  name: string
  mediaType: string
  size: number
  /** Where they are, in the words of what keeps them. */
  bytes: string
  /** The account's id; null for someone without one. */
  uploader: string | null
  /** Milliseconds since 1970. */
  created: number
}
