// The same step at several places of one write: what fails at any of them is told for all at once, each at its own place.
// Those behind a place that fails are tried even so.

import { ApiError, type Failed, placedFault } from '#base'
import type { Step } from './query-step.ts'

export function* atAllPlaces<Item extends { place: string }, Result>(
  items: readonly Item[],
  step: (item: Item, index: number) => Step<Result>,
): Step<Result[]> {
  const results: Result[] = []
  const failed: Failed[] = []
  for (const [index, item] of items.entries()) {
    try {
      results.push(yield* step(item, index))
    } catch (fault) {
      if (!(fault instanceof ApiError)) throw fault
      failed.push({ place: item.place, fault })
    }
  }
  const [first, ...others] = failed
  if (first !== undefined) throw placedFault([first, ...others])
  return results
}
