// The settings `webhooks.…`, and the delays between attempts that they define: exponential backoff with jitter, so that
// deliveries that failed together are not retried together.

export interface WebhookSettings {
  /** Whether receivers in private networks are allowed. */
  allowPrivate: boolean
  /** The timeout of an attempt. It is shorter than a claim. */
  timeoutSeconds: number
  /** The delay before the first retry. It doubles with each retry, up to the maximum. */
  firstRetrySeconds: number
  maxRetryIntervalSeconds: number
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
