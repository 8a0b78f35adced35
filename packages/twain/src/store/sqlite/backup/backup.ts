// Backs up a whole service into one file, and restores it: the database of a data folder, with the bytes of its files in a
// table (`file-bytes.ts`). A start makes such a backup too, before it hides or drops data.
//
// 1. A backup is one snapshot: it holds every write that was acknowledged before it began, whole. The bytes of a file exist
//    before its row and are deleted after it, so the backup finds those of every file that a row refers to.
// 2. A backup gets its name only when it is complete and on disk: an interrupted one can't be mistaken for a backup.
// 3. A restored service begins an epoch of the change log: cursors of changes after the backup are invalid there.

import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Log } from '#base'
import { wallTime } from '#base/time'
import { StartRefused } from '../../tables/start-refused.ts'
import { beginEpoch } from '../changes/begin-epoch.ts'
import { lockFolder } from '../connect/lock-folder.ts'
import { createSystemTables } from '../migrate/tables.ts'
import { copyDatabase, syncToDisk } from './copy-database.ts'
import { addFileBytes, type BackupCounts, backupBytesTable, restoreFileBytes } from './file-bytes.ts'

export function backUp(data: string, to: string): BackupCounts {
  if (!existsSync(join(data, 'twain.db'))) throw new StartRefused(`There is no data in ${data}: it has no twain.db.`)
  if (existsSync(to)) throw new StartRefused(`There is a file ${to} already. Give the backup another name.`)
  if (!existsSync(dirname(to))) throw new StartRefused(`There is no folder ${dirname(to)}.`)
  const unfinished = `${to}.unfinished`
  rmSync(unfinished, { force: true })
  try {
    copyDatabase(data, unfinished)
    const backedUp = addBytes(unfinished, data)
    syncToDisk(unfinished)
    renameSync(unfinished, to)
    syncToDisk(dirname(to))
    return backedUp
  } finally {
    rmSync(unfinished, { force: true })
  }
}

/** Backs up the last committed state into `backups` of the data folder. `reason` is the log message. */
export function backUpBeforeChange(data: string, log: Log | undefined, reason: string): void {
  const folder = join(data, 'backups')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const to = join(folder, `${new Date(wallTime()).toISOString().replace(/[:.]/g, '-')}.db`)
  backUp(data, to)
  log?.warn({ 'file.path': to }, reason)
}

function addBytes(file: string, data: string): BackupCounts {
  const database = new DatabaseSync(file)
  try {
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF')
    return addFileBytes(database, data)
  } finally {
    database.close()
  }
}

export async function restore(backup: string, data: string): Promise<void> {
  if (!existsSync(backup)) throw new StartRefused(`There is no file ${backup}.`)
  refuseExistingData(data)
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const lock = lockFolder(data)
  const file = join(data, 'twain.db')
  const unfinished = `${file}.restore`
  try {
    refuseExistingData(data) // another process may have filled it before it released the lock
    copyFileSync(backup, unfinished)
    chmodSync(unfinished, 0o600)
    await finishRestore(unfinished, backup, data)
    syncToDisk(unfinished)
    renameSync(unfinished, file)
    syncToDisk(data)
  } finally {
    rmSync(unfinished, { force: true })
    lock.release()
  }
}

function refuseExistingData(data: string): void {
  if (!existsSync(join(data, 'twain.db'))) return
  throw new StartRefused(
    `There is data in ${data} already. Restore to a folder that has none, or move this one away first.`,
  )
}

async function finishRestore(file: string, backup: string, data: string): Promise<void> {
  const database = new DatabaseSync(file)
  try {
    expectBackup(database, backup)
    database.exec('PRAGMA journal_mode = OFF')
    if (tableExists(database, backupBytesTable)) await restoreFileBytes(database, data)
    createSystemTables(database) // an older Twain did not have all of them
    database.exec('DELETE FROM twain_image') // their bytes are not in the backup; they are made again
    beginEpoch(database)
  } finally {
    database.close()
  }
}

/** A damaged file is found here, and not by a later read. */
function expectBackup(database: DatabaseSync, backup: string): void {
  const refuse = (why: string) => new StartRefused(`${backup} can't be restored: ${why}.`)
  try {
    if (!tableExists(database, 'twain_schema')) throw refuse('it is not a Twain backup')
    // A copy of the database alone.
    if (
      !tableExists(database, backupBytesTable) &&
      database.prepare('SELECT 1 FROM twain_file LIMIT 1').get() !== undefined
    ) {
      throw refuse('it is without the bytes of its files; put it in the place of twain.db in the folder that has them')
    }
    const [first] = database.prepare('PRAGMA integrity_check(1)').all()
    if (first?.integrity_check !== 'ok') throw refuse(`it is damaged (${first?.integrity_check})`)
  } catch (error) {
    if (error instanceof StartRefused) throw error
    throw refuse(`it is no database, or damaged (${(error as Error).message})`)
  }
}

function tableExists(database: DatabaseSync, table: string): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined
}
