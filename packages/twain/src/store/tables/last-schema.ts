// The schema that was last served, and when each part of it was last used, and by which clients. A start that refuses a
// breaking schema shows it.

import type { Model } from '#model'

export interface LastUse {
  /** The last day on which a client named it; null if it was only part of default representations. */
  requested: string | null
  /** The last day on which it was part of a default representation. */
  returned: string | null
  /** The clients that named it, or, if none did, those that received it by default; the latest first. */
  clients: string[]
  /** The last days of each client, the latest first. */
  by: ClientUse[]
}

export interface ClientUse {
  client: string
  requested: string | null
  returned: string | null
  /** The last days on which it came through each API; null: never, or before the APIs were counted. */
  rest: string | null
  graphql: string | null
}

export interface LastUses {
  /** The first counted day; null if there is none. */
  since: string | null
  of: ReadonlyMap<string, LastUse>
}

/** A sentence about the last use of what a schema difference names; empty if it is not counted. */
export function describeLastUse(path: string, { since, of }: LastUses, before: Model): string {
  const [counted = path] = path.split(/[+(]/)
  const use = of.get(counted)
  if (use === undefined) {
    return since !== null && isCounted(counted, before) ? `Nobody used it since ${since}, when counting began.` : ''
  }
  const by = listClients(use.clients)
  if (use.requested !== null) return `Last requested on ${use.requested} by ${by}.`
  return `Last returned by default on ${use.returned} to ${by}; no client requested it by name.`
}

const maxNamedClients = 3

function listClients(clients: readonly string[]): string {
  const more = clients.length - maxNamedClients
  return `${clients.slice(0, maxNamedClients).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Fields inside written values, arguments and enum values are not counted. */
function isCounted(path: string, { types, operations }: Model): boolean {
  const [typeName = '', fieldName] = path.split('.')
  if (operations.some(({ root, name }) => root === typeName && name === fieldName)) return true
  const type = types.get(typeName)
  if (type?.kind !== 'resource' && type?.kind !== 'abstract') return false
  return fieldName === undefined || type.fields.has(fieldName) || type.computed.has(fieldName)
}

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
