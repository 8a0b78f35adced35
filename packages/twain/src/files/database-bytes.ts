// Bytes in the database, in chunks, under a key of their own for each upload: nodes share them, and since nothing else is
// shared nothing has to be claimed. (Keys that `twain copy` brought from a data folder are hashes; nothing is put there anew.)
//
// 1. They have another key until the last chunk is there, and are given their own in one step. Whatever breaks off half-way
//    is in nobody's sight, and swept.

import { createHash } from 'node:crypto'
import { uuidv7 } from '#base'
import type { FileChunks } from '#store'
import { type FileBytes, type StoredBytes, uniqueKey } from './file-bytes.ts'

const mostListed = 200

export class DatabaseBytes implements FileBytes {
  readonly #chunks: FileChunks
  readonly #clock: () => number
  /** The key behind which `portion` goes on. */
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
    let n = 0
    try {
      for await (const chunk of inChunks(bytes, this.#chunks.size)) {
        await this.#chunks.add(temporary, n++, this.#clock(), chunk)
        hash.update(chunk)
        size += chunk.length
      }
      const key = uniqueKey(hash.digest('hex'))
      names.push(key)
      await this.#chunks.rename(temporary, key)
      return { key, size, release() {} }
    } catch (error) {
      if (n > 0) await this.#chunks.remove(names).catch(() => {}) // what is left is swept
      throw error
    }
  }

  async *open(key: string, start: number, end: number): AsyncIterable<Uint8Array> {
    const { size } = this.#chunks
    for (let at = start; at < end; ) {
      const inside = at % size
      const bytes = await this.#chunks.read(key, Math.floor(at / size), inside, Math.min(size - inside, end - at))
      if (bytes === null || bytes.length === 0) throw new Error(`the bytes of ${key} end at ${at}, before ${end}`)
      yield bytes
      at += bytes.length
    }
  }

  async remove(keys: readonly string[], unused: (keys: readonly string[]) => Promise<string[]>): Promise<void> {
    const free = keys.length === 0 ? [] : await unused(keys)
    if (free.length > 0) await this.#chunks.remove(free)
  }

  async listBatch(before: number): Promise<string[]> {
    const keys = await this.#chunks.keys(this.#after, before, mostListed)
    this.#after = keys.length < mostListed ? '' : keys.at(-1)!
    return keys
  }
}

/** Joined and cut so that all but the last have this size. An empty file has one, too: `portion` finds it by that. */
async function* inChunks(bytes: AsyncIterable<Uint8Array>, size: number): AsyncIterable<Uint8Array> {
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
