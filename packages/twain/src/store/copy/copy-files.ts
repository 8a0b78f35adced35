// Copies the bytes of files. Keys stay the same, and bytes in external storage (S3) stay where they are: both ends reach them
// there.
//
// 1. Before it copies anything, Twain checks that all bytes exist, so that it can report every missing file at once.
// 2. Twain reads the bytes at the target again and compares their hash with the one in the key.

import { createHash } from 'node:crypto'
import type { ByteChunks } from '../system/files/disk-chunks.ts'
import { hashIn, isOwnKey } from '../system/files/file-records.ts'
import { StartRefused } from '../tables/start-refused.ts'
import type { CopiedFile, CopySource, CopyTarget } from './ends.ts'

export interface FilesToCopy {
  count: number
  bytes: number
  /** In external storage. */
  elsewhere: number
}

/** How many missing files a message names. */
const maxNamedFiles = 5

/** Throws StartRefused if bytes are missing (1). */
export async function checkFiles(source: CopySource): Promise<FilesToCopy> {
  const files: FilesToCopy = { count: 0, bytes: 0, elsewhere: 0 }
  const missing: string[] = []
  let missingCount = 0
  for await (const { key, size, id } of filesOf(source)) {
    if (!isOwnKey(key)) {
      files.elsewhere++
      continue
    }
    files.count++
    files.bytes += size
    const found = await source.findBytes(key)
    if (found.size === size) continue
    const there = found.size === null ? 'is not there' : `has ${found.size} of ${size} bytes`
    if (++missingCount <= maxNamedFiles) missing.push(`file ${id}: ${found.at} ${there}`)
  }
  if (missingCount === 0) return files
  if (missingCount > maxNamedFiles) missing.push(`and ${missingCount - maxNamedFiles} more`)
  throw new StartRefused(
    `The bytes of ${missingCount} of ${files.count} files are not all in ${source.place}:\n${missing.map((line) => `  ${line}\n`).join('')}` +
      'Put them back from a backup, or delete the rows that use these files, and copy again. Nothing was copied.',
  )
}

/** Calls `onBytes` with the size of each chunk. */
export async function copyFiles(
  source: CopySource,
  target: CopyTarget,
  onBytes: (bytes: number) => void,
): Promise<void> {
  for await (const file of filesOf(source)) {
    if (!isOwnKey(file.key)) continue
    const sent = new Digest(source.bytes(file.key), onBytes)
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

/** Counts and hashes the chunks that pass through. */
class Digest {
  size = 0
  readonly #chunks: ByteChunks
  readonly #onBytes: (bytes: number) => void
  readonly #hash = createHash('sha256')

  constructor(chunks: ByteChunks, onBytes: (bytes: number) => void = () => {}) {
    this.#chunks = chunks
    this.#onBytes = onBytes
  }

  async *chunks(): ByteChunks {
    for await (const chunk of this.#chunks) {
      this.size += chunk.length
      this.#hash.update(chunk)
      this.#onBytes(chunk.length)
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
      'Put them back from a backup, or delete the rows that use this file, and copy again. The copy was rolled back.',
  )
}
