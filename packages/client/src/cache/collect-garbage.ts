// Removes unreachable rows: no root field leads to them, nobody watches them, and no optimistic write touches them. Above
// the limit it also removes the root fields that were not read for the longest time.

import type { Cache } from './cache.ts'
import { Node } from './node.ts'

export function collectGarbage(cache: Cache, limit: number): number {
  const before = cache.nodes.size
  sweep(cache)
  const roots = [...cache.nodes.values()]
    .filter((node) => node.type === rootType && !isInUse(cache, node))
    .sort((a, b) => a.used - b.used)
  while (cache.nodes.size > limit && roots.length > 0) {
    for (const root of roots.splice(0, Math.ceil(roots.length / 4))) cache.nodes.delete(root.key!)
    sweep(cache)
  }
  cache.tick++
  return before - cache.nodes.size
}

const rootType = 'Query'

function sweep(cache: Cache): void {
  const reached = new Set<unknown>()
  const waiting: unknown[] = []
  for (const node of cache.nodes.values()) if (node.type === rootType || isInUse(cache, node)) waiting.push(node)
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== 'object' || value === null || reached.has(value)) continue
    reached.add(value)
    if (value instanceof Node) waiting.push(value.fields, value.view)
    else waiting.push(...Object.values(value))
  }
  for (const [key, node] of cache.nodes) if (!reached.has(node)) cache.nodes.delete(key)
}

const isInUse = (cache: Cache, node: Node): boolean => node.isWatched || node.view !== null || cache.isClaimed(node)
