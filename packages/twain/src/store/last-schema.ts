// The contract that was last served from a place, without opening a store: a server may be running on it.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type LastUsed, selectLastUses, toLastUses, type UsedRow } from './system/last-used.ts'
import { StartRefused } from './tables/start-refused.ts'

type Place = { data: string } | { database: string }

export interface LastSchema {
  sdl: string
  uses: LastUsed
}

/** Null where nothing was served yet. */
export async function lastSchema(place: Place): Promise<LastSchema | null> {
  if ('database' in place) {
    const { lastServedFrom } = await import('./postgres/migrate/last-schema.ts')
    return lastServedFrom(place.database)
  }
  const file = join(place.data, 'twain.db')
  if (!existsSync(file)) throw new StartRefused(`There is no data in ${place.data}: it has no twain.db.`)
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    const isThere = (table: string) =>
      database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined
    if (!isThere('twain_contract')) return null
    const row = database.prepare('SELECT sdl FROM twain_contract ORDER BY n DESC LIMIT 1').get()
    if (row === undefined) return null
    const rows = isThere('twain_usage') ? database.prepare(selectLastUses).all() : []
    return { sdl: row.sdl as string, uses: toLastUses(rows as unknown as UsedRow[]) }
  } finally {
    database.close()
  }
}

/** As JSON, for who asks a running server for it (`/docs/contract`). */
export function describeContract(sdl: string, { since, of }: LastUsed): string {
  return JSON.stringify({ sdl, since, uses: Object.fromEntries(of) })
}

/** Null where the text is none of these. */
export function describedContract(text: string): LastSchema | null {
  const described = parsed(text) as { sdl?: unknown; since?: unknown; uses?: unknown } | null
  if (typeof described?.sdl !== 'string' || typeof described.uses !== 'object') return null
  const of: LastUsed['of'] = new Map(Object.entries(described.uses ?? {}))
  return { sdl: described.sdl, uses: { since: typeof described.since === 'string' ? described.since : null, of } }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
