// The contract that was last served from a database.

import { connect, placeOf } from './connect.ts'
import { toRefusal } from './database-faults.ts'

/** Its SDL; null where nothing was served yet. */
export async function lastServedFrom(address: string): Promise<string | null> {
  const database = connect(address, { size: 1, time: 10 })
  try {
    const [table] = await database.unsafe(`SELECT to_regclass('twain_contract') IS NOT NULL AS there`)
    if (table?.there !== true) return null
    const [row] = await database.unsafe<{ sdl: string }[]>('SELECT sdl FROM twain_contract ORDER BY n DESC LIMIT 1')
    return row?.sdl ?? null
  } catch (error) {
    throw toRefusal(error, placeOf(address))
  } finally {
    await database.end({ timeout: 0 })
  }
}
