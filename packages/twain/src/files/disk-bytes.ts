// File contents in the data folder, addressed by content: `files/ab/ab12…`, SHA-256 in hex. Equal contents are one file.
//
// 1. A file is written to `files/new`, synced, and then renamed to its final path, which is atomic; then the folder is synced.
//    The next start deletes what a crash left in `files/new`.
// 2. Placing and removing exclude each other, and `put` claims its key before it places the file. So a key is removed only
//    while nothing claims it and no row references it.

import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isOwnKey, pathOfKey } from '#store'
import type { FileBytes, StoredBytes } from './file-bytes.ts'
import { MissingBytes } from './first-chunk.ts'
import { makeFolder, Spool, type SpoolStore, syncFolder } from './spool.ts'

const readSizeBytes = 64 * 1024

export class DiskBytes implements FileBytes {
  readonly #folder: string
  readonly #spool: Spool
  /** How many puts of this key are not yet released. */
  readonly #claims = new Map<string, number>()
  #last: Promise<unknown> = Promise.resolve()
  /** The folder that the next `listBatch` reads. */
  #nextFolder = 0

  /** `data` is the data folder. */
  constructor(data: string, store?: SpoolStore) {
    this.#folder = join(data, 'files')
    this.#spool = new Spool(join(this.#folder, 'new'), store)
  }

  put(bytes: AsyncIterable<Uint8Array>): Promise<StoredBytes> {
    return this.#spool.receive(bytes, async ({ path, hash: key, size }) => {
      this.#claim(key)
      try {
        await this.#exclusive(() => this.#place(path, key))
      } catch (error) {
        this.#release(key)
        throw error
      }
      return { key, size, release: () => this.#release(key) }
    })
  }

  async *open(key: string, start: number, end: number): AsyncIterable<Uint8Array> {
    const file = await unlessMissing(open(this.#path(key), 'r'), null)
    if (file === null) throw new MissingBytes(key, 0, end)
    try {
      const { size } = await file.stat()
      if (size < end) throw new MissingBytes(key, size, end)
      for (let at = start; at < end; ) {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(readSizeBytes, end - at)), {
          position: at,
        })
        if (bytesRead === 0) throw new MissingBytes(key, at, end)
        yield buffer.subarray(0, bytesRead)
        at += bytesRead
      }
    } finally {
      await file.close()
    }
  }

  async remove(keys: readonly string[], unused: (keys: readonly string[]) => Promise<string[]>): Promise<void> {
    if (keys.length === 0) return
    await this.#exclusive(async () => {
      const unclaimed = keys.filter((key) => !this.#claims.has(key))
      for (const key of await unused(unclaimed)) await rm(this.#path(key), { force: true })
    })
  }

  async listBatch(before: number): Promise<string[]> {
    const name = this.#nextFolder.toString(16).padStart(2, '0')
    this.#nextFolder = (this.#nextFolder + 1) % 256
    const keys: string[] = []
    for (const key of await unlessMissing(readdir(join(this.#folder, name)), [])) {
      if (!isOwnKey(key)) continue
      const found = await unlessMissing(stat(this.#path(key)), null)
      if (found !== null && found.mtimeMs < before) keys.push(key)
    }
    return keys
  }

  #path(key: string): string {
    return pathOfKey(this.#folder, key)
  }

  async #place(temporary: string, key: string): Promise<void> {
    const folder = join(this.#folder, key.slice(0, 2))
    await makeFolder(folder)
    await rename(temporary, this.#path(key))
    await syncFolder(folder)
  }

  #claim(key: string): void {
    this.#claims.set(key, (this.#claims.get(key) ?? 0) + 1)
  }

  #release(key: string): void {
    const left = (this.#claims.get(key) ?? 0) - 1
    if (left > 0) this.#claims.set(key, left)
    else this.#claims.delete(key)
  }

  #exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }
}

async function unlessMissing<Found, Else>(found: Promise<Found>, otherwise: Else): Promise<Found | Else> {
  try {
    return await found
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise
    throw error
  }
}
