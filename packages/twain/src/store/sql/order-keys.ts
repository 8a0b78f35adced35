// The two kinds of sort keys: those that a column of the row holds, and those that the statement computes (`computed-order.ts`).

import type { ComputedKey, OrderKey } from '#plan'

export function isComputed(key: OrderKey): key is ComputedKey {
  return key.kind === 'referred' || key.kind === 'count'
}

/** A key that is a column of the row, or its type. */
export type ColumnKey = Exclude<OrderKey, ComputedKey>

export function isByColumns(order: readonly OrderKey[]): order is readonly ColumnKey[] {
  return !order.some(isComputed)
}

/** Whether the key may be null. */
export function isComputedNullable(key: ComputedKey): boolean {
  return key.kind === 'referred' || key.path.length > 0 || key.guard !== undefined
}
