// Writes an upload to a temporary file and computes its hash, before it is moved to its storage.

import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ApiError, fullStorage, uuidv7 } from '#base'
import { type Store, storageFailure } from '#store'

export interface SpooledFile {
  path: string
  /** SHA-256 in hex. */
  hash: string
  size: number
}

/** What the folder of the data belongs to. */
export type SpoolStore = Pick<Store, 'requirePlace' | 'failures'>

export class Spool {
  readonly #folder: string
  readonly #store: SpoolStore | undefined

  /** Deletes what a crash left in the folder. */
  constructor(folder: string, store?: SpoolStore) {
    this.#folder = folder
    this.#store = store
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }

  /** Calls `place` with the complete and synced file. Deletes the temporary file afterwards, also on errors. */
  async receive<Placed>(
    bytes: AsyncIterable<Uint8Array>,
    place: (file: SpooledFile) => Promise<Placed>,
  ): Promise<Placed> {
    this.#store?.requirePlace()
    const path = join(this.#folder, uuidv7())
    try {
      return await place({ path, ...(await write(path, bytes)) })
    } catch (error) {
      if (storageFailure(error) === 'full') throw this.#store?.failures.met('full', error) ?? fullStorage(error)
      throw isResourceError(error) ? fileStorageUnavailable(error) : error
    } finally {
      await rm(path, { force: true })
    }
  }
}

async function write(path: string, bytes: AsyncIterable<Uint8Array>): Promise<{ hash: string; size: number }> {
  const file = await openNew(path)
  try {
    const hash = createHash('sha256')
    let size = 0
    for await (const chunk of bytes) {
      hash.update(chunk)
      size += chunk.length
      await file.appendFile(chunk)
    }
    await file.sync()
    return { hash: hash.digest('hex'), size }
  } finally {
    await file.close()
  }
}

/** The folder may have been removed since the start, or `files` above it. */
async function openNew(path: string): Promise<FileHandle> {
  const create = () => open(path, 'wx', 0o600)
  return create().catch(async (error) => {
    if (codeOf(error) !== 'ENOENT') throw error
    const folder = dirname(path)
    await makeFolder(dirname(folder))
    await makeFolder(folder)
    return create()
  })
}

/** Makes a folder that is missing, durably. Not the one above it: nothing is stored in the place of a data folder that has gone. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return
    throw error
  }
  await syncFolder(dirname(folder))
}

/** The entries of a folder are on disk when it resolves. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function isResourceError(error: unknown): boolean {
  return ['EIO', 'EMFILE', 'ENOENT', 'EACCES', 'EROFS'].includes(codeOf(error))
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | null)?.code ?? ''
}

export function fileStorageUnavailable(cause: unknown): ApiError {
  return new ApiError('UNAVAILABLE', 'The file storage is unavailable.', {
    headers: { 'retry-after': '5' },
    cause,
  })
}
