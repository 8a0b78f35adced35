// `twain doctor --deep` on SQLite: pages, and what both databases check. It only reads; a server may run.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { storageFailure } from '../observe/storage-failures.ts'
import { checkStoredRows } from '../system/checks/check-stored.ts'
import type { StoredFindings } from '../system/checks/stored-database.ts'
import { readChunks } from '../system/files/disk-chunks.ts'
import { pathOfKey } from '../system/files/file-records.ts'
import { sqliteRowImages } from './changes/row-images.ts'

const columns = `SELECT m.name AS "table", c.name, c.type FROM sqlite_schema AS m, pragma_table_info(m.name) AS c`

/** Nothing is wrong with a folder without data. */
export async function checkStoredFolder(data: string): Promise<StoredFindings> {
  const file = join(data, 'twain.db')
  if (!existsSync(file)) return { wrong: [], unchecked: [] }
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  const select = async (sql: string) => database.prepare(sql).all() as Record<string, unknown>[]
  try {
    const pages = (await select('PRAGMA quick_check(5)')).map((row) => String(Object.values(row)[0]))
    if (pages[0] !== 'ok') {
      return { wrong: pages.map((page) => `${file} is damaged: ${page.trim()}.`), unchecked: [] }
    }
    const bytes = (key: string) => readChunks(pathOfKey(join(data, 'files'), key))
    return await checkStoredRows({ select, columns, bytes, image: sqliteRowImages(database).of })
  } catch (error) {
    const state = storageFailure(error) === 'damaged' ? 'is damaged' : "can't be read"
    return { wrong: [`${file} ${state}: ${(error as Error).message}.`], unchecked: [] }
  } finally {
    database.close()
  }
}
