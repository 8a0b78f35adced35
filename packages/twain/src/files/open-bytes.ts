// Where the bytes of files are kept, by the settings.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FileChunks } from '#store'
import { DatabaseBytes } from './database-bytes.ts'
import { DiskBytes } from './disk-bytes.ts'
import type { FileBytes } from './file-bytes.ts'
import { S3Bytes } from './s3-bytes.ts'
import { type FileSettings, storageOf } from './settings.ts'

interface OpenBytesOptions {
  settings: FileSettings
  /** The data folder. */
  data: string
  /** Those of the database, where it keeps bytes. */
  chunks: FileChunks | null
  clock: () => number
}

export function openBytes({ settings, data, chunks, clock }: OpenBytesOptions): FileBytes {
  const storage = storageOf(settings)
  // A database may have several nodes, on one machine too: each spools in a folder of its own.
  const spool = chunks === null ? join(data, 'files', 'new') : join(tmpdir(), `twain-files-${process.pid}`)
  if (storage !== null) return new S3Bytes(storage, spool)
  return chunks === null ? new DiskBytes(data) : new DatabaseBytes(chunks, clock)
}
