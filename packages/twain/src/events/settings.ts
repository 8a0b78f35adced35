// What an operator says about events.

export interface EventSettings {
  /** Seconds that changes are kept; 0 is forever. */
  retentionSeconds: number
  /** Seconds between the signs of life of a stream on which nothing happens. */
  heartbeatSeconds: number
}

export const defaultEventSettings: EventSettings = { retentionSeconds: 7 * 24 * 3600, heartbeatSeconds: 15 }
