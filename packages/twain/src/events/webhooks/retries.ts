// Delays between attempts: exponential backoff with jitter, so that deliveries that failed together are not retried together.

import type { WebhookSettings } from './settings.ts'

type RetryIntervals = Pick<WebhookSettings, 'firstRetrySeconds' | 'maxRetryIntervalSeconds'>

/** The delay before the next attempt; `random` is from 0 to 1. */
export function retryDelayMs(
  attempts: number,
  { firstRetrySeconds, maxRetryIntervalSeconds }: RetryIntervals,
  random = Math.random(),
): number {
  const seconds = Math.min(maxRetryIntervalSeconds, firstRetrySeconds * 2 ** Math.max(0, attempts - 1))
  return Math.round(seconds * 1000 * (0.75 + random / 2))
}

/** After this many failures in a row, a receiver gets one attempt per backoff. */
const failuresBeforeBackoff = 8
/** A receiver that recovers is noticed within this time. */
const maxBackoffSeconds = 600

/** How long a failing receiver gets no attempts. */
export function backoffMs(failures: number, settings: RetryIntervals): number {
  if (failures < failuresBeforeBackoff) return 0
  const { firstRetrySeconds, maxRetryIntervalSeconds } = settings
  return retryDelayMs(failures - failuresBeforeBackoff + 1, {
    firstRetrySeconds,
    maxRetryIntervalSeconds: Math.min(maxBackoffSeconds, maxRetryIntervalSeconds),
  })
}
