// Writes rows of REST responses into the nodes of GraphQL. REST returns references as ids and no types, so this updates only
// fields that the cache already has.

import type { Cache } from '../cache/cache.ts'
import { equal } from '../cache/equal.ts'
import { Node } from '../cache/node.ts'
import type { Data } from '../document/selection.ts'

/** `version` is the row's version, if the response has it. */
export function writeRow(cache: Cache, node: Node, row: Data, order: number | null, version?: number): void {
  const before = cache.fieldsOf(node)
  if (version !== undefined && (before._version as number) > version) return
  const data = version === undefined || before._version === undefined ? row : { ...row, _version: version }
  let fields: Record<string, unknown> | null = null
  for (const [slot, value] of Object.entries(data)) {
    const known = before[slot]
    if (known === undefined || !cache.claim(node, slot, order)) continue
    const next = convertValue(cache, known, value, order)
    if (next === known || (!(next instanceof Node) && equal(next, known))) continue
    fields ??= { ...before }
    fields[slot] = next
  }
  if (fields !== null) cache.put(node, fields)
}

function convertValue(cache: Cache, known: unknown, value: unknown, order: number | null): unknown {
  // REST lists rows by id, in an order that need not be that of the GraphQL list.
  if (Array.isArray(known) && known.some((item) => item instanceof Node)) return known
  if (!(known instanceof Node)) return value
  if (value === null) return null
  if (typeof value === 'object') {
    const { id } = value as Data
    if (known.key !== null && id !== undefined && known.key !== `${known.type}:${id}`) return known
    writeRow(cache, known, value as Data, order)
    return known
  }
  if (known.key === null) return known
  // A reference to a row of one of several types has its type: `Type:id`.
  const [type, id] = String(value).split(':')
  return id === undefined ? cache.node(`${known.type}:${value}`, known.type) : cache.node(String(value), type!)
}
