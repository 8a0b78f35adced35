// Reads the schema that was last served from a data folder. The file is only read: a server may be running on it.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { LastSchema } from '../../system/last-schema.ts'
import { selectLastUses, toLastUses, type UsedRow } from '../../system/usage-tables.ts'
import { StartRefused } from '../../tables/start-refused.ts'

/** Null if nothing was served yet. */
export function readSqliteSchema(data: string): LastSchema | null {
  const file = join(data, 'twain.db')
  if (!existsSync(file)) throw new StartRefused(`There is no data in ${data}: it has no twain.db.`)
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    const exists = (table: string) =>
      database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined
    if (!exists('twain_schema')) return null
    const row = database.prepare('SELECT sdl FROM twain_schema ORDER BY n DESC LIMIT 1').get()
    if (row === undefined) return null
    const rows = exists('twain_usage') ? database.prepare(selectLastUses).all() : []
    return { sdl: row.sdl as string, uses: toLastUses(rows as unknown as UsedRow[]) }
  } finally {
    database.close()
  }
}
