// The settings of the log.

export const levels = ['info', 'warn', 'error', 'off'] as const

export interface LogSettings {
  /** The lowest level that is logged. */
  level: (typeof levels)[number]
  /** Whether each request is logged. */
  requests: boolean
}
