// What the main thread shares with the watchdog: numbers that it stores, and that the watchdog reads although the main thread
// does nothing any more.

export const signLength = 3

/** A number that the main thread changes as long as it handles events. */
export const beatAt = 0
/** The number of the custom code that began last; 0: none. */
export const codeAt = 1
/** 1 while the inspector listens: a debugger may be attached. */
export const debuggedAt = 2

export interface WatchdogData {
  sign: SharedArrayBuffer
  /** The names of custom code, by their number. Others follow as messages. */
  names: string[]
  /** How long the main thread may give no sign; 0: for ever, unless a signal came. */
  hangMs: number
  /** How long it may need after a signal; 0: for ever, unless it gives no sign. */
  drainMs: number
  /** Whether the log is JSON. */
  isJson: boolean
}
