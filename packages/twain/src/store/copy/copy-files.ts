// The bytes of files, from one end of a copy to the other. Keys stay as they are, and what is in storage of its own (S3)
// stays where it is: both ends reach it there.
//
// 1. Before anything is copied it is looked whether all bytes are there, so that every file without is told at once.
// 2. What has come to the target is read there again, and has the hash that stands in its key.

import { createHash } from 'node:crypto'
import { hashIn, isOwnKey } from '../system/file-keys.ts'
import { StartRefused } from '../tables/start-refused.ts'
import type { ByteChunks, CopiedFile, CopySource, CopyTarget } from './ends.ts'

export interface FilesToCopy {
  count: number
  bytes: number
  /** In other storage. */
  elsewhere: number
}

/** How many lacking files a sentence names. */
const maxNamedFiles = 5

/** Throws StartRefused where bytes are missing (1). */
export async function checkFiles(source: CopySource): Promise<FilesToCopy> {
  const ahead: FilesToCopy = { count: 0, bytes: 0, elsewhere: 0 }
  const lacking: string[] = []
  let lacks = 0
  for await (const { key, size, id } of filesOf(source)) {
    if (!isOwnKey(key)) {
      ahead.elsewhere++
      continue
    }
    ahead.count++
    ahead.bytes += size
    const found = await source.findBytes(key)
    if (found.size === size) continue
    const there = found.size === null ? 'is not there' : `has ${found.size} of ${size} bytes`
    if (++lacks <= maxNamedFiles) lacking.push(`file ${id}: ${found.at} ${there}`)
  }
  if (lacks === 0) return ahead
  if (lacks > maxNamedFiles) lacking.push(`and ${lacks - maxNamedFiles} more`)
  throw new StartRefused(
    `The bytes of ${lacks} of ${ahead.count} files are not all in ${source.place}:\n${lacking.map((line) => `  ${line}\n`).join('')}` +
      'Put them back from a backup, or delete the rows that hold these files, and copy again. Nothing was copied.',
  )
}

/** `told` hears of each chunk how many bytes it has. */
export async function copyFiles(source: CopySource, target: CopyTarget, told: (bytes: number) => void): Promise<void> {
  for await (const file of filesOf(source)) {
    if (!isOwnKey(file.key)) continue
    const sent = new Digest(source.bytes(file.key), told)
    await target.takeBytes(file.key, sent.chunks())
    compare(file, sent, source.place)
    const back = new Digest(target.bytes(file.key))
    for await (const _ of back.chunks());
    compare(file, back, target.place)
  }
}

async function* filesOf(source: CopySource): AsyncGenerator<CopiedFile> {
  for (let after = ''; ; ) {
    const files = await source.filesAfter(after)
    if (files.length === 0) return
    yield* files
    after = files.at(-1)!.key
  }
}

/** Counts and hashes what goes through. */
class Digest {
  size = 0
  readonly #chunks: ByteChunks
  readonly #told: (bytes: number) => void
  readonly #hash = createHash('sha256')

  constructor(chunks: ByteChunks, told: (bytes: number) => void = () => {}) {
    this.#chunks = chunks
    this.#told = told
  }

  async *chunks(): ByteChunks {
    for await (const chunk of this.#chunks) {
      this.size += chunk.length
      this.#hash.update(chunk)
      this.#told(chunk.length)
      yield chunk
    }
  }

  hash(): string {
    return this.#hash.digest('hex')
  }
}

function compare({ id, key, size }: CopiedFile, seen: Digest, place: string): void {
  if (seen.size === size && seen.hash() === hashIn(key)) return
  throw new StartRefused(
    `The bytes of file ${id} in ${place} (${key}) are not those that were uploaded: their hash is another. ` +
      'Put them back from a backup, or delete the rows that hold this file, and copy again. Nothing was kept at the target.',
  )
}
