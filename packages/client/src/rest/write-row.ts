// What Twain's REST face tells of a row, written where GraphQL told of it before: the same rows, the same cache. REST gives
// references as ids and says no types, so only what is known already is told anew.

import type { Cache } from '../cache/cache.ts'
import { equal } from '../cache/equal.ts'
import { Node } from '../cache/node.ts'
import type { Data } from '../document/selection.ts'

/** `version` is that of the row, where the answer tells it. */
export function writeRow(cache: Cache, node: Node, row: Data, order: number | null, version?: number): void {
  const before = cache.fieldsOf(node)
  if (version !== undefined && (before._version as number) > version) return
  const told = version === undefined || before._version === undefined ? row : { ...row, _version: version }
  let fields: Record<string, unknown> | null = null
  for (const [slot, value] of Object.entries(told)) {
    const known = before[slot]
    if (known === undefined || !cache.claim(node, slot, order)) continue
    const next = valueFor(cache, known, value, order)
    if (next === known || (!(next instanceof Node) && equal(next, known))) continue
    fields ??= { ...before }
    fields[slot] = next
  }
  if (fields !== null) cache.put(node, fields)
}

function valueFor(cache: Cache, known: unknown, value: unknown, order: number | null): unknown {
  // A list of rows is named by ids, in no order that GraphQL would give.
  if (Array.isArray(known) && known.some((item) => item instanceof Node)) return known
  if (!(known instanceof Node)) return value
  if (value === null) return null
  if (typeof value === 'object') {
    const { id } = value as Data
    if (known.key !== null && id !== undefined && known.key !== `${known.type}:${id}`) return known
    writeRow(cache, known, value as Data, order)
    return known
  }
  return known.key === null ? known : cache.node(`${known.type}:${value}`, known.type)
}
