// A many-to-many list before and after a write.

import type { LinksField } from '#model'
import type { RowReference } from './stored-row.ts'

/** A many-to-many list that a write changes. */
export interface LinkChange {
  field: LinksField
  before: RowReference[]
  after: RowReference[]
}

/** The targets that are added or removed. */
export function changedTargets(before: readonly RowReference[], after: readonly RowReference[]): RowReference[] {
  return [...without(after, before), ...without(before, after)]
}

export function without(targets: readonly RowReference[], others: readonly RowReference[]): RowReference[] {
  const left = new Set(others.map(referenceKey))
  return targets.filter((target) => !left.has(referenceKey(target)))
}

export function referenceKey({ type, id }: RowReference): string {
  return `${type}:${id}`
}
