// A many-to-many list before and after a write.

import type { LinksField } from '#model'
import type { Target } from './stored-row.ts'

/** A list of links that a write changes. */
export interface LinkChange {
  field: LinksField
  before: Target[]
  after: Target[]
}

/** Those that come and those that go. */
export function changedTargets(before: readonly Target[], after: readonly Target[]): Target[] {
  return [...without(after, before), ...without(before, after)]
}

export function without(targets: readonly Target[], others: readonly Target[]): Target[] {
  const left = new Set(others.map(keyOf))
  return targets.filter((target) => !left.has(keyOf(target)))
}

export function keyOf({ type, id }: Target): string {
  return `${type}:${id}`
}
