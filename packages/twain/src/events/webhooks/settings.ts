// The settings `webhooks.…`, and how long a failing receiver gets no attempts.

import { type RetryIntervals, retryDelayMs } from '#jobs'

export interface WebhookSettings extends RetryIntervals {
  /** Whether receivers in private networks are allowed. */
  allowPrivate: boolean
  /** The timeout of an attempt. It is shorter than a claim. */
  timeoutSeconds: number
  /** How long a delivery is retried. */
  retryWindowSeconds: number
}

export const defaultWebhookSettings: WebhookSettings = {
  allowPrivate: false,
  timeoutSeconds: 15,
  firstRetrySeconds: 5,
  maxRetryIntervalSeconds: 6 * 3600,
  retryWindowSeconds: 3 * 24 * 3600,
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
