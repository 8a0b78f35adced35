// The settings `webhooks.…`.

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
