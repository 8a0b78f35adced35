// Backs up a data folder with the bytes of its files, and restores it.

import { DiskBytes } from '#files'
import { type BackupCounts, backUp as backUpStore, restore as restoreStore } from '#store'

export async function backUp(data: string, to: string): Promise<BackupCounts> {
  let disk: DiskBytes | null = null // opened lazily, because it creates its folder
  return backUpStore(data, to, async (key, size) => {
    disk ??= new DiskBytes(data)
    try {
      const pieces: Uint8Array[] = []
      for await (const piece of disk.open(key, 0, size)) pieces.push(piece)
      return Buffer.concat(pieces)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  })
}

export async function restore(backup: string, data: string): Promise<void> {
  let disk: DiskBytes | null = null
  await restoreStore(backup, data, async (bytes) => {
    disk ??= new DiskBytes(data)
    const { release } = await disk.put(one(bytes))
    release()
  })
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
