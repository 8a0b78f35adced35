// The same step at several places of one write: what fails at any of them is told for all at once, each at its own place.
// Those behind a place that fails are tried even so.

import { ApiError, type PlacedFailure, placedError } from '#base'
import type { Step } from './query-step.ts'

export function* collectErrors<Item extends { place: string }, Result>(
  items: readonly Item[],
  step: (item: Item, index: number) => Step<Result>,
): Step<Result[]> {
  const results: Result[] = []
  const failed: PlacedFailure[] = []
  for (const [index, item] of items.entries()) {
    try {
      results.push(yield* step(item, index))
    } catch (fault) {
      if (!(fault instanceof ApiError)) throw fault
      failed.push({ place: item.place, error: fault })
    }
  }
  const [first, ...others] = failed
  if (first !== undefined) throw placedError([first, ...others])
  return results
}
