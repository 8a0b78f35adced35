// Where the bytes of files are kept. What they are called and whose they are is the store's affair; here they have a key.
//
// 1. Bytes are there whole or not at all, also after a crash; and on disk before `put` resolves.
// 2. What was put and not yet released is never removed: its row may be on its way.

import { uuidv7 } from '#base'

export interface FileBytes {
  /** Rejects with what the bytes reject with; then nothing is left of them. */
  put(bytes: AsyncIterable<Uint8Array>): Promise<StoredBytes>
  /** From `start` up to, not including, `end`. */
  open(key: string, start: number, end: number): AsyncIterable<Uint8Array>
  /** Removes those of the keys that nobody holds. `unused` says of which no row knows; it is asked while nothing can be put,
   *  since equal bytes may share a key. */
  remove(keys: readonly string[], unused: (keys: readonly string[]) => Promise<string[]>): Promise<void>
  /** Some of the keys whose bytes were put before this time, others at each call: a crash may have left one without a row. */
  listBatch(before: number): Promise<string[]>
}

/** For who keeps equal bytes apart. */
export function uniqueKey(hash: string): string {
  return `${hash}.${uuidv7()}`
}

export interface StoredBytes {
  key: string
  size: number
  /** When its row is there, or never will be. */
  release(): void
}
