// Copies the database of a data folder as one snapshot, while a server may write to it.

import { closeSync, fsyncSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** `to` must not exist. The copy is on disk when this returns. */
export function copyDatabase(data: string, to: string): void {
  closeSync(openSync(to, 'wx', 0o600)) // it holds the signing key of tokens
  const database = new DatabaseSync(join(data, 'twain.db'), { readOnly: true, timeout: 5000 })
  try {
    database.prepare('SELECT 1 FROM sqlite_schema').get() // its error says what is wrong with the disk; that of VACUUM does not
    database.prepare('VACUUM INTO ?').run(to)
  } finally {
    database.close()
  }
  syncToDisk(to)
}

/** Syncs a file, or the entries of a folder. */
export function syncToDisk(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
