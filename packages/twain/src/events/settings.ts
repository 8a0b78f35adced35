// What an operator says about events.

export interface EventSettings {
  /** Seconds that changes are kept; 0 is forever. */
  keep: number
  /** Seconds between the signs of life of a stream on which nothing happens. */
  heartbeat: number
}

export const defaultEventSettings: EventSettings = { keep: 7 * 24 * 3600, heartbeat: 15 }
