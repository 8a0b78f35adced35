// Runs the same step for several items of one write and reports the errors of all of them at once, each at its own place. An
// item that fails does not stop the items after it.

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
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      failed.push({ place: item.place, error })
    }
  }
  const [first, ...others] = failed
  if (first !== undefined) throw placedError([first, ...others])
  return results
}
