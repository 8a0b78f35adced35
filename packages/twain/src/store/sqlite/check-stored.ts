// `twain doctor --deep` on SQLite: pages, foreign keys, the bytes of files, and the change log. It only reads; a server may run.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readChunks } from '../system/files/disk-chunks.ts'
import { isOwnKey, pathOfKey } from '../system/files/file-records.ts'
import { checkBytes, compareLogWithRows } from '../system/stored-checks.ts'
import { storageFailure } from './connect/damage.ts'

const selectTables = `SELECT m.name AS name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE c.name = '_version'`

/** What is wrong; nothing for a folder without data. */
export async function checkStoredFolder(data: string): Promise<string[]> {
  const file = join(data, 'twain.db')
  if (!existsSync(file)) return []
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  const select = async (sql: string) => database.prepare(sql).all() as Record<string, unknown>[]
  try {
    const pages = (await select('PRAGMA quick_check(5)')).map((row) => String(Object.values(row)[0]))
    if (pages[0] !== 'ok') return pages.map((page) => `${file} is damaged: ${page.trim()}.`)
    const keys = await select(
      'SELECT "table" AS name, parent, count(*) AS count FROM pragma_foreign_key_check GROUP BY 1, 2',
    )
    const tables = (await select(selectTables)).map(({ name }) => String(name))
    return [
      ...keys.map(
        ({ name, parent, count }) => `${count} rows of ${name} refer to rows of ${parent} that do not exist.`,
      ),
      ...(tables.includes('twain_file') ? await checkFiles(join(data, 'files'), select) : []),
      ...(await compareLogWithRows(tables, select)),
    ]
  } catch (error) {
    const state = storageFailure(error) === 'damaged' ? 'is damaged' : "can't be read"
    return [`${file} ${state}: ${(error as Error).message}.`]
  } finally {
    database.close()
  }
}

async function checkFiles(
  folder: string,
  select: (sql: string) => Promise<Record<string, unknown>[]>,
): Promise<string[]> {
  const found: string[] = []
  for (const { key } of (await select('SELECT DISTINCT bytes AS key FROM twain_file')) as { key: string }[]) {
    const wrong = isOwnKey(key) ? await checkBytes(key, readChunks(pathOfKey(folder, key))) : null
    if (wrong !== null) found.push(wrong)
  }
  return found
}
