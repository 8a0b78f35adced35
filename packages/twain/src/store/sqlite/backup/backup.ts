// Backs up a whole service into one file, and restores it: the database of a data folder, with the bytes of its files in a
// table.
//
// 1. A backup is one snapshot: it holds every write that was acknowledged before it began, whole. The bytes of a file exist
//    before its row and are deleted a day after it, so the backup finds them.
// 2. A backup gets its name only when it is complete and on disk: an interrupted one can't be mistaken for a backup.
// 3. A restored service has a new change log id: cursors of changes after the backup are invalid there.

import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartRefused } from '../../tables/start-refused.ts'
import { lockFolder } from '../connect/lock-folder.ts'
import { copyDatabase, syncToDisk } from './copy-database.ts'

/** Reads the bytes of a file; null if they are stored elsewhere. */
export type ReadBytes = (key: string, size: number) => Promise<Uint8Array | null>
/** Saves the bytes; they are on disk when it resolves. */
export type SaveBytes = (bytes: Uint8Array) => Promise<void>

export interface BackupCounts {
  /** How many files the backup holds. */
  files: number
  /** How many files have their bytes elsewhere. */
  elsewhere: number
}

const bytesTable = 'twain_backup_bytes'

export async function backUp(data: string, to: string, read: ReadBytes): Promise<BackupCounts> {
  if (!existsSync(join(data, 'twain.db'))) throw new StartRefused(`There is no data in ${data}: it has no twain.db.`)
  if (existsSync(to)) throw new StartRefused(`There is a file ${to} already. Give the backup another name.`)
  if (!existsSync(dirname(to))) throw new StartRefused(`There is no folder ${dirname(to)}.`)
  const unfinished = `${to}.unfinished`
  rmSync(unfinished, { force: true })
  try {
    copyDatabase(data, unfinished)
    const backedUp = await addBytes(unfinished, read)
    syncToDisk(unfinished)
    renameSync(unfinished, to)
    syncToDisk(dirname(to))
    return backedUp
  } finally {
    rmSync(unfinished, { force: true })
  }
}

async function addBytes(file: string, read: ReadBytes): Promise<BackupCounts> {
  const database = new DatabaseSync(file)
  try {
    database.exec(
      `PRAGMA journal_mode = OFF; CREATE TABLE ${bytesTable} (key TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT`,
    )
    const insert = database.prepare(`INSERT INTO ${bytesTable} (key, bytes) VALUES (?, ?)`)
    const backedUp: BackupCounts = { files: 0, elsewhere: 0 }
    const stored = database.prepare('SELECT bytes AS key, min(size) AS size FROM twain_file GROUP BY bytes').all()
    for (const { key, size } of stored as { key: string; size: number }[]) {
      const bytes = await read(key, size)
      if (bytes === null) backedUp.elsewhere++
      else {
        insert.run(key, bytes)
        backedUp.files++
      }
    }
    return backedUp
  } finally {
    database.close()
  }
}

export async function restore(backup: string, data: string, keep: SaveBytes): Promise<void> {
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
    await finishRestore(unfinished, backup, keep)
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

async function finishRestore(file: string, backup: string, keep: SaveBytes): Promise<void> {
  const database = new DatabaseSync(file)
  try {
    expectBackup(database, backup)
    database.exec('PRAGMA journal_mode = OFF')
    if (tableExists(database, bytesTable)) {
      for (const { bytes } of database.prepare(`SELECT bytes FROM ${bytesTable}`).iterate())
        await keep(bytes as Uint8Array)
      database.exec(`DROP TABLE ${bytesTable}`)
    }
    const columns = database.prepare(`SELECT name FROM pragma_table_info('twain_log')`).all()
    if (!columns.some(({ name }) => name === 'former')) {
      database.exec(`ALTER TABLE twain_log ADD COLUMN former TEXT NOT NULL DEFAULT ''`)
    }
    database.exec(`UPDATE twain_log SET former = former || id || ' ', id = lower(hex(randomblob(16)))`)
  } finally {
    database.close()
  }
}

/** A damaged file is found here, and not by a later read. */
function expectBackup(database: DatabaseSync, backup: string): void {
  const refuse = (why: string) => new StartRefused(`${backup} can't be restored: ${why}.`)
  try {
    if (!tableExists(database, 'twain_schema')) throw refuse('it is not a Twain backup')
    // A copy of the database alone, made before a migration.
    if (
      !tableExists(database, bytesTable) &&
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
