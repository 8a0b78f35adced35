// Reads the schema that was last served from a PostgreSQL database.

import type { LastSchema } from '../../system/last-schema.ts'
import { selectLastUses, toLastUses, type UsedRow } from '../../system/usage-tables.ts'
import { connect, describeAddress } from '../connect/connect.ts'
import { toStartRefused } from '../connect/database-errors.ts'

/** Null where nothing was served yet. */
export async function readPostgresSchema(address: string): Promise<LastSchema | null> {
  const database = connect(address, { size: 1, time: 10 })
  try {
    const [tables] = await database.unsafe(
      `SELECT to_regclass('twain_schema') IS NOT NULL AS served, to_regclass('twain_usage') IS NOT NULL AS counted`,
    )
    if (tables?.served !== true) return null
    const [row] = await database.unsafe<{ sdl: string }[]>('SELECT sdl FROM twain_schema ORDER BY n DESC LIMIT 1')
    if (row === undefined) return null
    const rows = tables.counted === true ? await database.unsafe<UsedRow[]>(selectLastUses) : []
    return { sdl: row.sdl, uses: toLastUses(rows) }
  } catch (error) {
    throw toStartRefused(error, describeAddress(address))
  } finally {
    await database.end({ timeout: 0 })
  }
}
