// What an operator says about webhooks.

export interface WebhookSettings {
  /** Whether receivers inside private networks may be told. */
  allowPrivate: boolean
  /** Seconds that a receiver has for its answer: less than a delivery is held by a node. */
  time: number
  /** Seconds before a delivery that failed is tried again. Each next pause is twice as long, until the longest. */
  retryAfter: number
  retryAtMost: number
  /** Seconds for which it is tried. */
  retryFor: number
}

export const defaultWebhookSettings: WebhookSettings = {
  allowPrivate: false,
  time: 15,
  retryAfter: 5,
  retryAtMost: 6 * 3600,
  retryFor: 3 * 24 * 3600,
}
