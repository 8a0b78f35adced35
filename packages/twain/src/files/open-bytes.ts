// Opens the storage of file contents that the settings choose: S3, the database or the data folder.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FileChunks } from '#store'
import { DatabaseBytes } from './database-bytes.ts'
import { DiskBytes } from './disk-bytes.ts'
import type { FileBytes } from './file-bytes.ts'
import { S3Bytes } from './s3-bytes.ts'
import { openCredentialChain, type S3KeySource } from './s3-credentials.ts'
import { type FileSettings, storageOf } from './settings.ts'
import type { SpoolStore } from './spool.ts'

interface OpenBytesOptions {
  settings: FileSettings
  /** The data folder. */
  data: string
  /** The chunks of the database; null if contents are stored in the data folder. */
  chunks: FileChunks | null
  clock: () => number
  store?: SpoolStore
}

/** Throws StartRefused if the settings need a peer that is not installed. */
export async function openBytes(options: OpenBytesOptions): Promise<FileBytes> {
  const { settings, data, chunks, clock, store } = options
  const storage = storageOf(settings)
  // Several nodes of one database may run on one machine: each has its own spool folder.
  const spool = chunks === null ? join(data, 'files', 'new') : join(tmpdir(), `twain-files-${process.pid}`)
  if (storage !== null) return new S3Bytes({ ...storage, keys: await openKeys(settings) }, spool, store)
  return chunks === null ? new DiskBytes(data, store) : new DatabaseBytes(chunks, clock)
}

/** The settings were checked (`fileMistakes`): there are keys, or the chain. */
async function openKeys({ credentials, accessKey, secretKey, sessionToken }: FileSettings): Promise<S3KeySource> {
  if (credentials === 'aws') return openCredentialChain()
  const keys = { accessKey: accessKey ?? '', secretKey: secretKey ?? '', sessionToken }
  return () => keys
}
