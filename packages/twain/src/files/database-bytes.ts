// File contents in the database, in chunks. Each upload has its own key, so nothing is shared and nothing has to be claimed.
// (Keys that `twain copy` brought from a data folder are hashes; new uploads never use those.)
//
// 1. Chunks have a temporary key until the last one is stored; then one statement renames them. The cleanup deletes the chunks
//    of an interrupted upload.

import { createHash } from 'node:crypto'
import { uuidv7 } from '#base'
import type { FileChunks } from '#store'
import { type FileBytes, type StoredBytes, uniqueKey } from './file-bytes.ts'
import { MissingBytes } from './first-chunk.ts'

const maxListedKeys = 200

export class DatabaseBytes implements FileBytes {
  readonly #chunks: FileChunks
  readonly #clock: () => number
  /** The last key of the previous batch. */
  #after = ''

  constructor(chunks: FileChunks, clock: () => number) {
    this.#chunks = chunks
    this.#clock = clock
  }

  async put(bytes: AsyncIterable<Uint8Array>): Promise<StoredBytes> {
    const temporary = uuidv7()
    const names = [temporary]
    const hash = createHash('sha256')
    let size = 0
    let index = 0
    try {
      for await (const chunk of splitIntoChunks(bytes, this.#chunks.size)) {
        await this.#chunks.add(temporary, index++, this.#clock(), chunk)
        hash.update(chunk)
        size += chunk.length
      }
      const key = uniqueKey(hash.digest('hex'))
      names.push(key)
      await this.#chunks.rename(temporary, key)
      return { key, size, release() {} }
    } catch (error) {
      if (index > 0) await this.#chunks.remove(names).catch(() => {}) // the cleanup deletes what is left
      throw error
    }
  }

  async *open(key: string, start: number, end: number): AsyncIterable<Uint8Array> {
    const { size } = this.#chunks
    for (let at = start; at < end; ) {
      const offset = at % size
      const length = Math.min(size - offset, end - at)
      const bytes = await this.#chunks.read(key, Math.floor(at / size), offset, length)
      if (bytes === null || bytes.length < length) throw new MissingBytes(key, at + (bytes?.length ?? 0), end)
      yield bytes
      at += bytes.length
    }
  }

  async remove(keys: readonly string[], unused: (keys: readonly string[]) => Promise<string[]>): Promise<void> {
    const free = keys.length === 0 ? [] : await unused(keys)
    if (free.length > 0) await this.#chunks.remove(free)
  }

  async listBatch(before: number): Promise<string[]> {
    const keys = await this.#chunks.keys(this.#after, before, maxListedKeys)
    this.#after = keys.length < maxListedKeys ? '' : keys.at(-1)!
    return keys
  }
}

/** Splits the contents into chunks of this size; the last one may be smaller. An empty file has one empty chunk, so that
 *  `listBatch` finds it. */
async function* splitIntoChunks(bytes: AsyncIterable<Uint8Array>, size: number): AsyncIterable<Uint8Array> {
  let chunk = Buffer.allocUnsafe(size)
  let filled = 0
  let isFirst = true
  for await (let rest of bytes) {
    while (rest.length > 0) {
      const part = rest.subarray(0, size - filled)
      chunk.set(part, filled)
      filled += part.length
      rest = rest.subarray(part.length)
      if (filled < size) continue
      yield chunk
      isFirst = false
      chunk = Buffer.allocUnsafe(size)
      filled = 0
    }
  }
  if (filled > 0 || isFirst) yield chunk.subarray(0, filled)
}
