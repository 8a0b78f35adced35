// Where the bytes of files are kept, by the settings.

import { join } from 'node:path'
import type { FileBytes } from './bytes.ts'
import { DiskBytes } from './disk-bytes.ts'
import { S3Bytes } from './s3-bytes.ts'
import { type FileSettings, storageOf } from './settings.ts'

/** `data` is the data folder. */
export function openBytes(settings: FileSettings, data: string): FileBytes {
  const storage = storageOf(settings)
  return storage === null ? new DiskBytes(data) : new S3Bytes(storage, join(data, 'files', 'new'))
}
