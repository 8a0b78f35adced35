// The last served schema and the last uses of its parts, also as the JSON of `/docs/contract`.

import type { LastUses } from '../tables/last-used.ts'

export interface LastSchema {
  sdl: string
  uses: LastUses
}

/** The JSON that a running server answers at `/docs/contract`. */
export function printLastSchema(sdl: string, { since, of }: LastUses): string {
  return JSON.stringify({ sdl, since, uses: Object.fromEntries(of) })
}

/** Null if the text is no such JSON. */
export function parseLastSchema(text: string): LastSchema | null {
  const described = parseJson(text) as { sdl?: unknown; since?: unknown; uses?: unknown } | null
  if (typeof described?.sdl !== 'string' || typeof described.uses !== 'object') return null
  const of: LastUses['of'] = new Map(Object.entries(described.uses ?? {}))
  return { sdl: described.sdl, uses: { since: typeof described.since === 'string' ? described.since : null, of } }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
