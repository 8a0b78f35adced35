// The writes of a transaction, in an order in which each row exists before another one needs its id. A row that is created along is a
// write of its own: `$0.id` is the id of the row of the first write (docs/reference/rest.md, R161).

import { fieldNamed, typeAt } from '../api/model.ts'
import { type Draft, isNested } from './drafts.ts'

export interface Write {
  draft: Draft
  operation: Operation
}

interface Operation {
  method: 'PATCH' | 'POST'
  path: string
  headers: Record<string, string>
  body: Record<string, unknown>
}

/** Each draft once, but for rows that only get new rows of a list, which refer to them. */
export function writesOf(drafts: readonly Draft[]): Write[] {
  const byKey = new Map(drafts.map((draft) => [draft.key, draft]))
  const owners = new Map<string, { owner: Draft; inverse: string }>()
  for (const owner of drafts)
    for (const [field, keys] of Object.entries(owner.nested)) {
      const inverse = inverseOf(owner, field)
      if (inverse !== undefined) for (const key of keys) owners.set(key, { owner, inverse })
    }
  const writes: Write[] = []
  const positions = new Map<string, number>()
  /** The id of the row of this draft, which is written first if it is new. */
  const idOf = (draft: Draft): string => {
    if (draft.id !== null) return draft.id
    add(draft)
    return `$${positions.get(draft.key)}.id`
  }
  const add = (draft: Draft): void => {
    if (positions.has(draft.key)) return
    const body: Record<string, unknown> = { ...draft.changes }
    const of = owners.get(draft.key)
    if (of !== undefined) body[of.inverse] = idOf(of.owner)
    for (const [field, keys] of Object.entries(draft.nested)) {
      const rows = keys.flatMap((key) => byKey.get(key) ?? [])
      if (inverseOf(draft, field) !== undefined) continue // these rows come later, and refer to this one
      if (!isList(draft, field)) body[field] = idOf(rows[0]!)
      else {
        const links = body[`_${field}`] as { connect?: readonly string[] } | undefined
        body[`_${field}`] = { ...links, connect: [...(links?.connect ?? []), ...rows.map(idOf)] }
      }
    }
    if (draft.id !== null && Object.keys(body).length === 0) return
    positions.set(draft.key, writes.length)
    writes.push({ draft, operation: operationOf(draft, body) })
  }
  for (const draft of drafts) if (!isNested(draft)) add(draft)
  for (const draft of drafts) add(draft)
  return writes
}

function operationOf({ path, id, version }: Draft, body: Record<string, unknown>): Operation {
  if (id === null) return { method: 'POST', path: `/${path}`, headers: {}, body }
  const headers: Record<string, string> = version === null ? {} : { 'if-match': `"${version}"` }
  return { method: 'PATCH', path: `/${path}/${encodeURIComponent(id)}`, headers, body }
}

function inverseOf({ path }: Draft, name: string): string | undefined {
  const type = typeAt(path)
  return type && fieldNamed(type, name)?.inverse
}

function isList({ path }: Draft, name: string): boolean {
  const type = typeAt(path)
  return type !== undefined && fieldNamed(type, name)?.kind === 'list'
}
