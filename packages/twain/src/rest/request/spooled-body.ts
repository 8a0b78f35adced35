// A body with many rows, received whole before the first of them is written (docs/reference/rest.md, R79). It waits in a file
// without a name, which the system removes when it is closed, also after a crash. So its rows take little memory.
//
// 1. The scan of the records runs while the body arrives: a body that is no such text is refused before anything is written.
// 2. A body whose connection breaks is never complete: nothing of it is written.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError, uuidv7 } from '#base'
import type { HttpRequest } from '#base/http'
import { BadFile, type DataFormat, RecordTooLarge, splitRecords } from '#records'
import { unreadableBody } from './record-body.ts'

export interface SpooledBody {
  format: DataFormat
  /** Records, with the header of CSV. */
  count: number
  bytes: number
  /** SHA-256 in hex. */
  digest: string
  /** False: JSON that is no list. */
  isList: boolean
  chunks(): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

/** `maxRecordBytes`: 0 is no limit, here and below. */
interface SpoolLimits {
  importBytes: number
  maxRecordBytes: number
}

/** Reads the whole body into a file of the folder. */
export async function spoolBody(
  request: HttpRequest,
  format: DataFormat,
  { importBytes, maxRecordBytes }: SpoolLimits,
  folder: string,
): Promise<SpooledBody> {
  const file = await openNameless(folder)
  try {
    const received = new ReceivedBytes(request.stream(importBytes, 'limits.importBytes'), file)
    let count = 0
    for await (const records of splitRecords(received.chunks(), format, maxRecordBytes || undefined)) {
      for (const _record of records) count++
    }
    const { bytes, firstByte, hash } = received
    return {
      ...{ format, count, bytes, digest: hash.digest('hex'), isList: format !== 'json' || firstByte === OPEN_LIST },
      chunks: () => createReadStream('', { fd: file, start: 0, autoClose: false, highWaterMark: readBytes }),
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw toApiError(error, format)
  }
}

const OPEN_LIST = 0x5b
const readBytes = 256 * 1024

async function openNameless(folder: string): Promise<FileHandle> {
  const path = join(folder, `twain-body-${uuidv7()}`)
  try {
    const file = await open(path, 'wx+', 0o600)
    await rm(path)
    return file
  } catch (error) {
    throw noRoom(error)
  }
}

class ReceivedBytes {
  readonly hash = createHash('sha256')
  bytes = 0
  /** The first byte that is no white space. */
  firstByte: number | undefined
  readonly #arriving: AsyncIterable<Uint8Array>
  readonly #file: FileHandle

  constructor(arriving: AsyncIterable<Uint8Array>, file: FileHandle) {
    this.#arriving = arriving
    this.#file = file
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#arriving) {
      this.hash.update(chunk)
      this.bytes += chunk.length
      this.firstByte ??= chunk.find((byte) => byte > 0x20 && byte < 0x80)
      await this.#file.appendFile(chunk).catch((error) => {
        throw noRoom(error)
      })
      yield chunk
    }
  }
}

function toApiError(error: unknown, format: DataFormat): unknown {
  if (error instanceof RecordTooLarge) {
    return new ApiError('PAYLOAD_TOO_LARGE', error.message, {
      hint: 'The setting limits.bodyBytes is the largest size of one row.',
    })
  }
  return error instanceof BadFile ? unreadableBody(error, format) : error
}

function noRoom(cause: unknown): ApiError {
  return new ApiError('UNAVAILABLE', 'The server has no room for the body.', { headers: { 'retry-after': '5' }, cause })
}
