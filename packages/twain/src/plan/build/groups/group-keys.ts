// The keys of groups: `{createdAt: MONTH}`, `createdAt(month)` → GroupKey.

import { didYouMean } from '#base'
import { type Abstract, isGroupable, isTimePart, type Resource, timePartsOf, wholeValue } from '#model'
import type { GroupKey, Parameter } from '../../plan.ts'
import type { PlanBuilder } from '../plan-builder.ts'
import { planGroupedField } from './grouped-field.ts'

export const maxGroupKeys = 5

export interface RequestedKey {
  /** `['customer', 'country']`. */
  path: readonly string[]
  /** A part of a time, or the value itself. */
  part: string
  place: string
}

export function planGroupKeys(
  requested: readonly RequestedKey[],
  of: Resource | Abstract,
  builder: PlanBuilder,
  place: string,
): GroupKey[] {
  if (requested.length > maxGroupKeys)
    builder.problem(place, 'RANGE', `has ${requested.length} keys; at most ${maxGroupKeys} are allowed.`)
  const seen = new Set<string>()
  return requested.slice(0, maxGroupKeys).flatMap((key) => {
    const target = planGroupedField(key.path, of, groupable, builder, key.place)
    if (target === null) return []
    const name = pathOf(target)
    if (seen.has(name)) {
      builder.problem(key.place, 'UNKNOWN', `"${name}" is named twice.`)
      return []
    }
    seen.add(name)
    return planKey(target, key.part, builder, key.place)
  })
}

const groupable = { accepts: isGroupable, refusal: 'has no values that rows could be grouped by' }

function planKey(target: GroupKey['target'], part: string, builder: PlanBuilder, place: string): GroupKey[] {
  if (part === wholeValue) return [{ target, part: null }]
  const parts = timePartsOf(target.field.type)
  if (isTimePart(part) && parts.includes(part)) return [{ target, part }]
  const words = [wholeValue, ...parts]
  const near = didYouMean(part, words)
  builder.problem(place, 'UNKNOWN', `"${part}" is not a part of this field; there is ${words.join(', ')}.${near}`)
  return []
}

/** `zone` is a leaf; undefined: UTC, if a key needs one. A zone that the request names is checked in any case. */
export function planTimeZone(
  zone: unknown,
  keys: readonly GroupKey[],
  builder: PlanBuilder,
  place: string,
): Parameter | null {
  if (zone === undefined && !keys.some(hasZone)) return null
  return builder.parameter({ kind: 'timeZone' }, zone ?? null, place)
}

function hasZone({ target: { field }, part }: GroupKey): boolean {
  return part !== null && field.type.kind === 'scalar' && field.type.name === 'DateTime'
}

/** `customer.country`. */
export function pathOf({ through, field }: GroupKey['target']): string {
  return [...through.map((step) => step.field.name), field.name].join('.')
}
