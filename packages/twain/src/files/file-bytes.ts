// The storage of file contents, by key. Names, media types and owners are rows of the store.
//
// 1. Contents are stored completely or not at all, also after a crash, and durably before `put` resolves.
// 2. Contents that were put and not yet released are never removed: their row may not be written yet.

import { uuidv7 } from '#base'

export interface FileBytes {
  /** Rejects with the error of the input; then nothing is stored. */
  put(bytes: AsyncIterable<Uint8Array>): Promise<StoredBytes>
  /** From `start` up to, not including, `end`. */
  open(key: string, start: number, end: number): AsyncIterable<Uint8Array>
  /** Removes the keys that are released and that no row references. `unused` returns those without a row. It is called while
   *  nothing can be put, because equal contents may share a key. */
  remove(keys: readonly string[], unused: (keys: readonly string[]) => Promise<string[]>): Promise<void>
  /** A batch of the keys that were put before this time; each call returns the next batch. A crash may leave keys without a
   *  row. */
  listBatch(before: number): Promise<string[]>
}

/** A key for storage that does not share equal contents. */
export function uniqueKey(hash: string): string {
  return `${hash}.${uuidv7()}`
}

export interface StoredBytes {
  key: string
  size: number
  /** Call it when the row is written, or never will be. */
  release(): void
}
