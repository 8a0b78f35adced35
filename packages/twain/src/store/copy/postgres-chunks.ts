// The bytes of files in PostgreSQL, as a copy reads and writes them, in its transaction. The driver would turn them into long
// strings, of which V8 collects a hundred megabytes before it frees any. This file avoids that.

import { wallTime } from '#base/time'
import type { Session } from '../postgres/connect/session.ts'
import type { ByteChunks } from '../system/files/disk-chunks.ts'
import { chunkBytes } from '../system/files/file-records.ts'

const read = 'SELECT substring(bytes FROM $3 FOR $4) AS piece FROM twain_chunk WHERE key = $1 AND n = $2'
const size = 'SELECT sum(octet_length(bytes)) AS size FROM twain_chunk WHERE key = $1'
const add = 'COPY twain_chunk (key, n, since, bytes) FROM STDIN (FORMAT binary)'

/** The driver reads bytes as a hex string; this size keeps that string small. */
const pieceSize = 32 * 1024

/** Each chunk reuses the buffer of the one before. */
export async function* readChunks(session: Session, key: string): ByteChunks {
  const chunk = Buffer.allocUnsafe(chunkBytes)
  for (let n = 0; ; n++) {
    let filled = 0
    while (filled < chunkBytes) {
      const parameters = [key, n, filled + 1, pieceSize]
      const [row] = await session.query<{ piece: Uint8Array }>(read, parameters)
      if (row === undefined) return
      chunk.set(row.piece, filled)
      filled += row.piece.length
      if (row.piece.length < pieceSize) break
    }
    yield chunk.subarray(0, filled)
  }
}

export async function writeChunks(session: Session, key: string, chunks: ByteChunks): Promise<void> {
  await session.copyIn(add, binaryRows(key, chunks))
}

export async function sizeOf(session: Session, key: string): Promise<number | null> {
  const [row] = await session.query<{ size: number | null }>(size, [key])
  return row!.size
}

/** The binary format of COPY (PostgreSQL's manual, COPY, File Formats): a header; for each row the number of its fields, and
 *  each field after its length; a trailer. */
async function* binaryRows(key: string, chunks: ByteChunks): AsyncGenerator<Buffer> {
  const since = new Date(wallTime()).toISOString()
  let n = 0
  yield Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
  for await (const chunk of chunks) {
    const fields = [Buffer.from(key), int32(n++), Buffer.from(since), chunk]
    yield Buffer.concat([int16(fields.length), ...fields.flatMap((field) => [int32(field.length), field])])
  }
  yield int16(-1)
}

function int16(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(2)
  bytes.writeInt16BE(value)
  return bytes
}

function int32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeInt32BE(value)
  return bytes
}
