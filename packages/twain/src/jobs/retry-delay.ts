// The delays between attempts: exponential backoff with jitter, so that what failed together is not retried together.

import { randomFraction } from '#base/time'

export interface RetryIntervals {
  /** The delay before the first retry. It doubles with each retry, up to the maximum. */
  firstRetrySeconds: number
  maxRetryIntervalSeconds: number
}

/** The delay after so many attempts; `random` is from 0 to 1. */
export function retryDelayMs(
  attempts: number,
  { firstRetrySeconds, maxRetryIntervalSeconds }: RetryIntervals,
  random = randomFraction(),
): number {
  const seconds = Math.min(maxRetryIntervalSeconds, firstRetrySeconds * 2 ** Math.max(0, attempts - 1))
  return Math.round(seconds * 1000 * (0.75 + random / 2))
}
