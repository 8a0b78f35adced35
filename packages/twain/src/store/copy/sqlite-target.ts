// A data folder as the target of a copy.
//
// 1. The rows go to a file with a temporary name, which gets its final name when everything is in it and on disk. So nothing
//    has to be durable before, and a killed copy leaves nothing that could be served.
// 2. The folder of file bytes also has a temporary name. It gets its final name just before the rows do, so that no row is
//    ever served without its bytes.
// 3. The copy locks the folder as a server does, so that no server starts there meanwhile.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Model } from '#model'
import { addFunctions } from '../sqlite/connect/connect.ts'
import { lockFolder } from '../sqlite/connect/lock-folder.ts'
import { createSystemTables, createTables } from '../sqlite/migrate/tables.ts'
import { type ByteChunks, readChunks, writeChunks } from '../system/files/disk-chunks.ts'
import { pathOfKey } from '../system/files/file-records.ts'
import type { Layout } from '../tables/layout.ts'
import { quoteName } from '../tables/quote.ts'
import { StartRefused } from '../tables/start-refused.ts'
import { type CopyTarget, expectKnownColumns, type LogPosition } from './ends.ts'
import type { RowBatch } from './row-batch.ts'
import { createSqliteTable, readSqliteCatalog, sqliteRows } from './sqlite-tables.ts'
import type { StoredTable } from './stored-tables.ts'

export function openSqliteTarget(folder: string): CopyTarget {
  refuseUsed(folder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = lockFolder(folder)
  try {
    refuseUsed(folder) // by the previous owner of the lock
    return new SqliteTarget(folder, () => lock.release())
  } catch (error) {
    lock.release()
    throw error
  }
}

function refuseUsed(folder: string): void {
  if (existsSync(join(folder, 'twain.db'))) {
    throw new StartRefused(`There is data in ${folder} already. Copy to a folder that is not there.`)
  }
  if (existsSync(join(folder, 'files'))) {
    throw new StartRefused(
      `There is a folder files in ${folder} already, without a twain.db. Remove it, or copy to a folder that is not there.`,
    )
  }
}

/** A path with a temporary name until it is complete. */
interface UnfinishedPath {
  unfinished: string
  whole: string
}

class SqliteTarget implements CopyTarget {
  readonly place: string
  readonly #rows: UnfinishedPath
  readonly #files: UnfinishedPath
  readonly #release: () => void
  readonly #database: DatabaseSync
  #makeIndexes = () => {}

  constructor(folder: string, release: () => void) {
    this.place = folder
    this.#rows = { unfinished: join(folder, 'twain.db.copy'), whole: join(folder, 'twain.db') }
    this.#files = { unfinished: join(folder, 'files.copy'), whole: join(folder, 'files') }
    this.#release = release
    this.#removeUnfinished() // of a killed copy
    closeSync(openSync(this.#rows.unfinished, 'wx', 0o600)) // it will contain the secrets that sign tokens
    this.#database = new DatabaseSync(this.#rows.unfinished)
    addFunctions(this.#database)
    this.#database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF')
  }

  async prepare(model: Model, layout: Layout, tables: readonly StoredTable[]): Promise<void> {
    createSystemTables(this.#database)
    this.#database.exec('DELETE FROM twain_epoch') // those of the source follow
    expectKnownColumns(tables, readSqliteCatalog(this.#database))
    for (const table of tables) if (table.kind !== 'system') createSqliteTable(this.#database, table)
    this.#makeIndexes = () => createTables(this.#database, model, layout)
  }

  async take({ name: table, columns }: StoredTable, batches: AsyncIterable<RowBatch>): Promise<void> {
    const places = columns.map(() => '?').join(', ')
    const insert = this.#database.prepare(
      `INSERT INTO ${quoteName(table)} (${columns.map(({ name }) => quoteName(name)).join(', ')}) VALUES (${places})`,
    )
    this.#database.exec('BEGIN')
    for await (const batch of batches) for (const row of batch) insert.run(...row)
    this.#database.exec('COMMIT')
  }

  takeBytes(key: string, chunks: ByteChunks): Promise<void> {
    return writeChunks(pathOfKey(this.#files.unfinished, key), chunks)
  }

  bytes(key: string): ByteChunks {
    return readChunks(pathOfKey(this.#files.unfinished, key))
  }

  async complete({ id, last }: LogPosition): Promise<void> {
    this.#makeIndexes()
    this.#database.prepare('UPDATE twain_log SET id = ?').run(id)
    this.#database.exec(`DELETE FROM sqlite_sequence WHERE name = 'twain_change'`)
    this.#database.prepare(`INSERT INTO sqlite_sequence (name, seq) VALUES ('twain_change', ?)`).run(last)
    const [lost] = this.#database.prepare('PRAGMA foreign_key_check').all()
    if (lost !== undefined) {
      throw new StartRefused(
        `A row of ${String(lost.table)} refers to one of ${String(lost.parent)} that is not there.`,
      )
    }
  }

  rows(table: StoredTable): AsyncIterable<RowBatch> {
    return sqliteRows(this.#database, table)
  }

  async countFiles(): Promise<number> {
    return this.#fileFolders().reduce((sum, folder) => sum + readdirSync(folder).length, 0)
  }

  async finish(): Promise<void> {
    this.#database.close()
    sync(this.#rows.unfinished)
    if (existsSync(this.#files.unfinished)) {
      for (const folder of [...this.#fileFolders(), this.#files.unfinished]) sync(folder)
      renameSync(this.#files.unfinished, this.#files.whole)
      sync(this.place) // see 2
    }
    renameSync(this.#rows.unfinished, this.#rows.whole)
    sync(this.place)
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close()
    this.#removeUnfinished()
    this.#release()
  }

  #fileFolders(): string[] {
    const { unfinished } = this.#files
    return existsSync(unfinished) ? readdirSync(unfinished).map((folder) => join(unfinished, folder)) : []
  }

  #removeUnfinished(): void {
    for (const { unfinished } of [this.#rows, this.#files]) rmSync(unfinished, { recursive: true, force: true })
  }
}

function sync(path: string): void {
  const opened = openSync(path, 'r')
  fsyncSync(opened)
  closeSync(opened)
}
