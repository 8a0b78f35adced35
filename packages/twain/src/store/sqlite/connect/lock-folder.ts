// Locks a data folder for one server. Node has no flock, so a transaction stays open on a small database of its own. The
// operating system releases it when the process ends, however it ends.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartRefused } from '../../tables/start-refused.ts'

/** Another process has the folder. */
export class FolderInUse extends StartRefused {}

export interface FolderLock {
  release(): void
}

export function lockFolder(folder: string): FolderLock {
  const database = new DatabaseSync(join(folder, 'twain.lock'), { timeout: 0 })
  try {
    database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error
    throw new FolderInUse(
      `Another Twain server is running on the data in ${folder}. Stop it first, or give this one another folder with --data.`,
    )
  }
  return { release: () => database.close() }
}

const SQLITE_BUSY = 5 // SQLITE_BUSY
