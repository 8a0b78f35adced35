// Compares what a field costs and how long caches may store it. Clients see neither in the types, but a query that was within
// the limit may exceed it, and a response may be older than before.

import { weights } from '../cost-weights.ts'
import type { CacheHint, ComputedField, CustomOperation, Field, StoredType, ValueField } from '../model.ts'
import type { Differences } from './differences.ts'

type CostlyField = Field | ComputedField | CustomOperation | ValueField

export function compareCost(before: CostlyField, after: CostlyField, path: string, found: Differences): void {
  const was = before.cost ?? usualCost(before)
  const is = after.cost ?? usualCost(after)
  const change = `${path} cost ${was} and costs ${is} now`
  if (is < was) found.additive(path, change)
  else if (is > was) {
    const message = `${change}: queries that were within the limit may exceed it`
    found.breaking(path, message, { affects: 'readers' }, 'Restore the weight of @cost.')
  }
}

function usualCost(field: CostlyField): number {
  return isObject(field) ? weights.object : weights.scalar
}

function isObject(field: CostlyField): boolean {
  if (!('type' in field)) return true // a relation
  const { type } = field
  if (type.kind === 'row' || type.kind === 'rows') return true
  return isValue(type.kind === 'stored' ? type.type : type)
}

function isValue(type: StoredType): boolean {
  return type.kind === 'list' ? isValue(type.of) : type.kind === 'value'
}

interface Cached {
  cache?: CacheHint
}

/** Staler responses, and responses that shared caches store, may surprise a client. Fresher ones do not. */
export function compareCache(before: Cached, after: Cached, path: string, found: Differences): void {
  const was = { maxAge: before.cache?.maxAge ?? null, scope: before.cache?.scope ?? null }
  const is = { maxAge: after.cache?.maxAge ?? null, scope: after.cache?.scope ?? null }
  if (was.maxAge !== is.maxAge) {
    const change = `caches could store ${path} for ${printSeconds(was.maxAge)}, and can for ${printSeconds(is.maxAge)} now`
    if ((is.maxAge ?? 0) > (was.maxAge ?? 0)) found.warning(path, change, 'readers')
    else found.additive(path, change)
  }
  if (was.scope !== is.scope) {
    const change = `the cache scope of ${path} was ${was.scope ?? 'not set'} and is ${is.scope ?? 'not set'} now`
    if (is.scope === 'PRIVATE') found.additive(path, change)
    else found.warning(path, change, 'readers')
  }
}

function printSeconds(maxAge: number | null): string {
  return maxAge === null ? 'no time of their own' : `${maxAge} s`
}
