// When a delivery that failed is tried again: pauses that grow, each a little shorter or longer by chance, so that what failed
// together does not come back together.

import type { WebhookSettings } from './settings.ts'

type RetryIntervals = Pick<WebhookSettings, 'firstRetrySeconds' | 'maxRetryIntervalSeconds'>

/** Milliseconds before the next attempt, after so many; `chance` is from 0 to 1. */
export function retryDelayMs(
  attempts: number,
  { firstRetrySeconds: retryAfter, maxRetryIntervalSeconds: retryAtMost }: RetryIntervals,
  chance = Math.random(),
): number {
  const pause = Math.min(retryAtMost, retryAfter * 2 ** Math.max(0, attempts - 1))
  return Math.round(pause * 1000 * (0.75 + chance / 2))
}

/** A receiver that failed so often in a row is taken for dead: it is asked for one delivery at a time. */
const mostInARow = 8
/** Seconds: one that comes back is found out within ten minutes. */
const longestHold = 600

/** Milliseconds for which such a receiver is left alone. */
export function backoffMs(failures: number, settings: RetryIntervals): number {
  if (failures < mostInARow) return 0
  const { firstRetrySeconds: retryAfter, maxRetryIntervalSeconds: retryAtMost } = settings
  return retryDelayMs(failures - mostInARow + 1, {
    firstRetrySeconds: retryAfter,
    maxRetryIntervalSeconds: Math.min(longestHold, retryAtMost),
  })
}
