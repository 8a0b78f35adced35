// What an operator says about webhooks.

export interface WebhookSettings {
  /** Whether receivers inside private networks may be told. */
  allowPrivate: boolean
  /** Seconds that a receiver has for its answer: less than a delivery is held by a node. */
  timeoutSeconds: number
  /** Seconds before a delivery that failed is tried again. Each next pause is twice as long, until the longest. */
  firstRetrySeconds: number
  maxRetryIntervalSeconds: number
  /** Seconds for which it is tried. */
  retryWindowSeconds: number
}

export const defaultWebhookSettings: WebhookSettings = {
  allowPrivate: false,
  timeoutSeconds: 15,
  firstRetrySeconds: 5,
  maxRetryIntervalSeconds: 6 * 3600,
  retryWindowSeconds: 3 * 24 * 3600,
}
