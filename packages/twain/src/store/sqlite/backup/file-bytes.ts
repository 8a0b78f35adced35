// The bytes of uploaded files inside a backup: in chunks, by their key in the data folder. So no file has to fit into memory
// or into one value.

import { closeSync, existsSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { writeChunks } from '../../system/files/disk-chunks.ts'
import { chunkBytes, isOwnKey, pathOfKey } from '../../system/files/file-records.ts'
import { syncToDisk } from './copy-database.ts'

export const backupBytesTable = 'twain_backup_bytes'

export interface BackupCounts {
  /** How many files the backup holds. */
  files: number
  /** How many files have their bytes elsewhere. */
  elsewhere: number
}

/** Adds the bytes in the data folder to `backup`, a copy of its database. */
export function addFileBytes(backup: DatabaseSync, data: string): BackupCounts {
  backup.exec(
    `CREATE TABLE ${backupBytesTable} (key TEXT NOT NULL, n INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (key, n)) STRICT`,
  )
  const insert = backup.prepare(`INSERT INTO ${backupBytesTable} (key, n, bytes) VALUES (?, ?, ?)`)
  const counts: BackupCounts = { files: 0, elsewhere: 0 }
  for (const { key } of backup.prepare('SELECT DISTINCT bytes AS key FROM twain_file').all() as { key: string }[]) {
    const path = pathOfKey(join(data, 'files'), key)
    if (!isOwnKey(key) || !existsSync(path)) {
      counts.elsewhere++
      continue
    }
    let n = 0
    for (const chunk of chunksOf(path)) insert.run(key, n++, chunk)
    counts.files++
  }
  return counts
}

/** An empty file has one empty chunk. Each chunk reuses the buffer of the one before. */
function* chunksOf(path: string): Generator<Uint8Array> {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(chunkBytes)
    for (let at = 0; ; ) {
      const read = readSync(file, buffer, 0, chunkBytes, at)
      if (read > 0 || at === 0) yield buffer.subarray(0, read)
      if (read === 0) return
      at += read
    }
  } finally {
    closeSync(file)
  }
}

/** Moves the bytes from the restored database to the data folder. They are on disk when it resolves. */
export async function restoreFileBytes(database: DatabaseSync, data: string): Promise<void> {
  const folder = join(data, 'files')
  const chunks = database.prepare(`SELECT bytes FROM ${backupBytesTable} WHERE key = ? ORDER BY n`)
  for (const { key } of database.prepare(`SELECT DISTINCT key FROM ${backupBytesTable}`).all() as { key: string }[]) {
    const path = pathOfKey(folder, key)
    const unfinished = `${path}.restore`
    rmSync(unfinished, { force: true }) // of an interrupted restore
    await writeChunks(unfinished, bytesOf(chunks.iterate(key) as Iterable<{ bytes: Uint8Array }>))
    renameSync(unfinished, path)
    syncToDisk(dirname(path))
  }
  if (existsSync(folder)) syncToDisk(folder)
  database.exec(`DROP TABLE ${backupBytesTable}`)
}

async function* bytesOf(rows: Iterable<{ bytes: Uint8Array }>): AsyncGenerator<Uint8Array, void> {
  for (const { bytes } of rows) yield bytes
}
