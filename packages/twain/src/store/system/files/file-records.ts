// The rows of files: one for each upload, which fields of type `File` refer to. The module `files` uses them; plans read their
// table like any other (`tables/layout.ts`). No change of them is in the change log.
//
// A row that another row refers to is never deleted, whichever version of the schema has the field: the statement that
// deletes it checks that.
//
// The keys and chunks of their bytes are the same in every storage; `twain copy` uses them too.

import { join } from 'node:path'
import type { IdempotencyKey, Viewer } from '#base/http'

export interface FileRecords {
  /** Null if the bytes are not in the database. */
  readonly chunks: FileChunks | null
  /** `viewer` will read the row next. */
  add(record: FileRecord, viewer: Viewer): Promise<void>
  /** The same with an idempotency key, in one transaction: returns the id of the file that was created with the key, this one
   *  or an earlier one. Throws an ApiError if the key was used for another request. */
  addIdempotent(record: FileRecord, viewer: Viewer, key: IdempotencyKey): Promise<string>
  /** Deletes those of these rows that no other row refers to. Returns the keys of their bytes; other files may share them. */
  deleteUnheld(ids: readonly string[]): Promise<string[]>
  /** Which of these rows exist and no other row refers to. */
  unheld(ids: readonly string[]): Promise<string[]>
  /** Visits a portion of the table, in the order of ids: marks the rows that no row refers to, and deletes those that were
   *  marked before `before` and that no row has referred to since. A portion is small, so that writes never wait long. */
  sweep(portion: SweepPortion): Promise<SweepResult>
  /** Which of these keys no file row and no variant of an image has. */
  unused(bytes: readonly string[]): Promise<string[]>
}

/** The bytes of files in a database: in chunks of one size, except for the last one of a file. */
export interface FileChunks {
  readonly size: number
  /** Chunks count from 0. `since` is the current time of the module `files`. */
  add(key: string, n: number, since: number, bytes: Uint8Array): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Reads a part of a chunk, at most `length` bytes; null if there is no such chunk. */
  read(key: string, n: number, start: number, length: number): Promise<Uint8Array | null>
  remove(keys: readonly string[]): Promise<void>
  /** The first keys after this one whose upload began before this time. */
  keys(after: string, before: number, most: number): Promise<string[]>
}

export interface SweepPortion {
  /** The id after which the portion begins; empty: at the first. */
  after: string
  maxRows: number
  before: number
  /** The time of the marks. */
  now: number
}

export interface SweepResult {
  /** The keys of the bytes of deleted rows. */
  bytes: string[]
  /** Where the next portion begins; empty if this was the last. */
  next: string
}

export interface FileRecord {
  id: string
  name: string
  mediaType: string
  size: number
  /** The key of the bytes in their storage. */
  bytes: string
  /** The account's id; null for a viewer without one. */
  uploader: string | null
  /** Milliseconds since 1970. */
  created: number
}

/** The size of a chunk in a database; the last one of a file may be smaller. */
export const chunkBytes: number = 256 * 1024

/** The SHA-256 of the bytes, which every key contains. */
export function hashIn(key: string): string {
  return /[0-9a-f]{64}/.exec(key)?.[0] ?? key
}

/** Whether it is the key of a data folder (a hash) or of a database (a hash and more), not of external storage. `twain copy`
 *  does not change keys: each database may have both kinds. */
export function isOwnKey(key: string): boolean {
  return /^[0-9a-f]{64}(\.[0-9a-f-]{36})?$/.test(key)
}

/** The path below the folder of files. */
export function pathOfKey(folder: string, key: string): string {
  return join(folder, key.slice(0, 2), key)
}
