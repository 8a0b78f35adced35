// The arguments of groups as objects, as GraphQL and custom code have them → what `planGroups` takes.

import { isRecord } from '#base'
import type { PlanBuilder } from '../plan-builder.ts'
import type { RequestedKey } from './group-keys.ts'
import type { RequestedGroupOrder } from './group-order.ts'
import type { RequestedCondition } from './plan-groups.ts'

/** `[{status: VALUE}, {customer: {country: VALUE}}]`: each key names one field (`@oneOf`). */
export function readGroupKeys(value: unknown, builder: PlanBuilder, place: string): RequestedKey[] {
  const keys = Array.isArray(value) ? value : [value]
  if (keys.length === 0)
    builder.problem(place, 'REQUIRED', 'must name a key; without one, the aggregate of the list is it.')
  return keys.flatMap((key, index) => {
    const found = leafIn(key)
    if (found === null) builder.problem(`${place}.${index}`, 'REQUIRED', 'must name one field.')
    return found === null ? [] : [{ path: found.path, part: found.word, place: `${place}.${index}` }]
  })
}

/** The one leaf of objects inside each other, and the path to it. An undefined variable is none. */
function leafIn(tree: unknown): { path: string[]; word: string } | null {
  const path: string[] = []
  let inner = tree
  while (isRecord(inner)) {
    const [member, second] = Object.entries(inner).filter(([, value]) => value !== undefined)
    if (member === undefined || second !== undefined) return null
    path.push(member[0])
    inner = member[1]
  }
  return typeof inner === 'string' && path.length > 0 ? { path, word: inner } : null
}

/** `{count: {gte: 5}, sum: {total: {gt: "100"}}}`. */
export function readHaving(tree: unknown, place: string): RequestedCondition[] {
  if (!isRecord(tree)) return []
  return members(tree).flatMap(([measure, inner]) => {
    const at = `${place}.${measure}`
    if (measure === 'count') return operators('count', [], inner, at)
    return members(inner).flatMap(([field, leaves]) => operators(measure, [field], leaves, `${at}.${field}`))
  })
}

function operators(measure: string, path: string[], tree: unknown, place: string): RequestedCondition[] {
  return members(tree).map(([operator, leaf]) => ({ measure, path, operator, leaf, place: `${place}.${operator}` }))
}

function members(tree: unknown): [string, unknown][] {
  return isRecord(tree) ? Object.entries(tree).filter(([, value]) => value !== undefined) : []
}

/** `[{sum: {total: DESC}}, {count: ASC}, {key: {status: ASC}}]`. */
export function readGroupOrder(value: unknown, builder: PlanBuilder, place: string): RequestedGroupOrder[] {
  if (value === undefined || value === null) return []
  const keys = Array.isArray(value) ? value : [value]
  return keys.flatMap((key, index) => {
    const found = leafIn(key)
    const at = `${place}.${index}`
    if (found === null) {
      builder.problem(at, 'REQUIRED', 'must name one measure or key, with a direction.')
      return []
    }
    const [first, ...path] = found.path
    return [
      { measure: first === 'key' ? null : first!, path, direction: found.word, place: `${at}.${found.path.join('.')}` },
    ]
  })
}
