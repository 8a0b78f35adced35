// The bytes of files in a data folder, as a copy and a restore read and write them.

import { mkdirSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { chunkBytes } from './file-records.ts'

/** A chunk is valid until the next one is read. */
export type ByteChunks = AsyncGenerator<Uint8Array, void>

/** Each chunk reuses the buffer of the one before. */
export async function* readChunks(path: string): ByteChunks {
  const file = await open(path, 'r')
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes)
    for (let at = 0; ; ) {
      let filled = 0
      while (filled < chunkBytes) {
        const { bytesRead } = await file.read(chunk, filled, chunkBytes - filled, at + filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      if (filled > 0 || at === 0) yield chunk.subarray(0, filled)
      if (filled < chunkBytes) return
      at += filled
    }
  } finally {
    await file.close()
  }
}

/** The bytes are on disk when it resolves; the entry in the folder may not be. */
export async function writeChunks(path: string, chunks: ByteChunks): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of chunks) await file.appendFile(chunk)
    await file.sync()
  } finally {
    await file.close()
  }
}

export async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
