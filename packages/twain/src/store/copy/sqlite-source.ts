// A data folder as the source of a copy. No server may run on it: the copy would not contain what it writes meanwhile.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { openWriteConnection } from '../sqlite/connect/connect.ts'
import { lockFolder } from '../sqlite/connect/lock-folder.ts'
import { tableExists } from '../sqlite/migrate/migrate.ts'
import { createSystemTables } from '../sqlite/migrate/tables.ts'
import { readChunks, sizeOf } from '../system/files/disk-chunks.ts'
import { pathOfKey } from '../system/files/file-records.ts'
import { quoteName } from '../tables/quote.ts'
import type { ServedSchema } from '../tables/refuse-breaking.ts'
import { StartRefused } from '../tables/start-refused.ts'
import { type CopiedFile, type CopySource, filesAfter, type LogPosition } from './ends.ts'
import { rowsInBatch } from './row-batch.ts'
import { readSqliteCatalog, sqliteRows } from './sqlite-tables.ts'
import { tablesToCopy } from './stored-tables.ts'

export function openSqliteSource(folder: string): CopySource {
  const [file, files] = [join(folder, 'twain.db'), join(folder, 'files')]
  if (!existsSync(file)) throw new StartRefused(`There is no data in ${folder}: it has no twain.db.`)
  const lock = lockFolder(folder)
  try {
    const database = openWriteConnection(file) // it may have to recover from a crash
    try {
      if (!tableExists(database, 'twain_schema')) throw new StartRefused(nothingServed(folder))
      createSystemTables(database) // an older Twain did not have all of them
      const schemas = readSchemas(database)
      const [schema] = schemas
      if (schema === undefined) throw new StartRefused(nothingServed(folder))
      return {
        place: folder,
        schema,
        tables: tablesToCopy(readSqliteCatalog(database), schemas, null),
        log: markOf(database),
        count: async (table) => numberIn(database, `SELECT count(*) FROM ${quoteName(table.name)}`),
        rows: (table) => sqliteRows(database, table),
        filesAfter: async (key) => {
          return database.prepare(filesAfter('?1', '?2')).all(key, rowsInBatch) as unknown as CopiedFile[]
        },
        findBytes: async (key) => ({ at: pathOfKey('files', key), size: await sizeOf(pathOfKey(files, key)) }),
        bytes: (key) => readChunks(pathOfKey(files, key)),
        async close() {
          database.close()
          lock.release()
        },
      }
    } catch (error) {
      database.close()
      throw error
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** All that were served, the newest first. */
function readSchemas(database: DatabaseSync): ServedSchema[] {
  const rows = database.prepare('SELECT sdl, names FROM twain_schema ORDER BY n DESC').all()
  return (rows as { sdl: string; names: string }[]).map(({ sdl, names }) => ({ sdl, names: JSON.parse(names) }))
}

function markOf(database: DatabaseSync): LogPosition {
  const { id } = database.prepare('SELECT id FROM twain_log').get() as { id: string }
  return { id, last: numberIn(database, `SELECT max(seq) FROM sqlite_sequence WHERE name = 'twain_change'`) }
}

function numberIn(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get()!)[0] ?? 0)
}

function nothingServed(folder: string): string {
  return `There is no data in ${folder}: nothing was ever served from it.`
}
