// The bytes of files in PostgreSQL, as a copy reads and writes them: in its own transaction, a chunk for each statement.

import type { ReservedSql } from 'postgres'
import type { Chunks } from './ends.ts'

const read = 'SELECT bytes FROM twain_chunk WHERE key = $1 AND n = $2'
const add = 'INSERT INTO twain_chunk (key, n, since, bytes) VALUES ($1, $2, $3, $4)'
const size = 'SELECT sum(octet_length(bytes)) AS size FROM twain_chunk WHERE key = $1'

/** The same few statements for every file. */
const kept = { prepare: true }

export async function* readChunks(session: ReservedSql, key: string): AsyncGenerator<Uint8Array> {
  for (let n = 0; ; n++) {
    const [row] = await session.unsafe<{ bytes: Uint8Array }[]>(read, [key, n], kept)
    if (row === undefined) return
    yield row.bytes
  }
}

export async function writeChunks(session: ReservedSql, key: string, chunks: Chunks): Promise<void> {
  const since = new Date().toISOString()
  let n = 0
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    await session.unsafe(add, [key, n++, since, bytes], kept)
  }
}

export async function sizeOf(session: ReservedSql, key: string): Promise<number | null> {
  const [row] = await session.unsafe<{ size: number | null }[]>(size, [key], kept)
  return row!.size
}
