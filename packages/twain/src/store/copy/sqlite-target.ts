// A data folder that is copied to.
//
// 1. The rows go to a file of another name, which is given its own when everything is in it and on disk. So nothing has to
//    be durable before, and whoever is killed between leaves nothing that could be served.
// 2. The folder is locked like a server's, so that none makes a service there meanwhile.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Model } from '#model'
import { name } from '../compile/statement.ts'
import type { Layout } from '../layout.ts'
import { lockFolder } from '../sqlite/lock.ts'
import { makeRowTables, makeTables, ownTables } from '../sqlite/tables.ts'
import { StartRefused } from '../start-refused.ts'
import type { CopiedTable } from './copied-tables.ts'
import type { Batch, LogMark, Target } from './ends.ts'

export function openSqliteTarget(folder: string): Target {
  const file = join(folder, 'twain.db')
  refuseUsed(file, folder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = lockFolder(folder)
  try {
    refuseUsed(file, folder) // by who had the lock before
    const unfinished = `${file}.copy`
    rmSync(unfinished, { force: true })
    closeSync(openSync(unfinished, 'wx', 0o600)) // what tokens are signed with comes into it
    return new SqliteTarget(folder, { unfinished, file }, () => lock.release())
  } catch (error) {
    lock.release()
    throw error
  }
}

function refuseUsed(file: string, folder: string): void {
  if (existsSync(file))
    throw new StartRefused(`There is data in ${folder} already. Copy to a folder that is not there.`)
}

class SqliteTarget implements Target {
  readonly place: string
  readonly #files: { unfinished: string; file: string }
  readonly #release: () => void
  readonly #database: DatabaseSync
  #makeIndexes = () => {}

  constructor(folder: string, files: { unfinished: string; file: string }, release: () => void) {
    this.place = folder
    this.#files = files
    this.#release = release
    this.#database = new DatabaseSync(files.unfinished)
    this.#database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF')
  }

  async prepare(model: Model, layout: Layout): Promise<void> {
    this.#database.exec(ownTables)
    makeRowTables(this.#database, model, layout)
    this.#makeIndexes = () => makeTables(this.#database, model, layout)
  }

  async take({ name: table, columns }: CopiedTable, batches: AsyncIterable<Batch>): Promise<void> {
    const places = columns.map(() => '?').join(', ')
    const insert = this.#database.prepare(
      `INSERT INTO ${name(table)} (${columns.map(name).join(', ')}) VALUES (${places})`,
    )
    this.#database.exec('BEGIN')
    for await (const batch of batches) for (const row of batch) insert.run(...row)
    this.#database.exec('COMMIT')
  }

  async complete({ id, last }: LogMark): Promise<void> {
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

  async count({ name: table }: CopiedTable): Promise<number> {
    const row = this.#database.prepare(`SELECT count(*) AS count FROM ${name(table)}`).get()
    return (row as { count: number }).count
  }

  async finish(): Promise<void> {
    this.#database.close()
    sync(this.#files.unfinished)
    renameSync(this.#files.unfinished, this.#files.file)
    sync(this.place)
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close()
    rmSync(this.#files.unfinished, { force: true })
    this.#release()
  }
}

function sync(path: string): void {
  const opened = openSync(path, 'r')
  fsyncSync(opened)
  closeSync(opened)
}
