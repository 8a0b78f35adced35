// The settings of the log.

export const levels = ['info', 'warn', 'error', 'off'] as const

export interface LogSettings {
  /** The lowest level that is logged. */
  level: (typeof levels)[number]
  /** Whether each request is logged. */
  requests: boolean
  /** Statements that take at least so many milliseconds are logged; 0: none. */
  slowQueryMs: number
}
