// The time, as a store knows it. A clock can be wrong, and can jump; nothing may be deleted for that
// (docs/internals/decisions/0122-clocks.md).
//
// 1. What must be kept for some time is stamped with `latest`, and deleted or forgotten by `earliest`: deleted rows, results under
//    idempotency keys, files that nothing refers to, the change log. While the clocks are right, both are the same.
// 2. What has times of rows, changes and sessions, and is deleted because they are old, is judged by `past`. So no jump of a clock
//    makes anything older that was there before.
// 3. Tokens, sessions and codes end by the clock of the server (`steadyClock`); only their deletion follows 2.
//
// Times are milliseconds since 1970.

import { wallTime } from '#base/time'

export interface StoreClock {
  /** The time of rows and changes. */
  now(): number
  /** The time, as a clock would have it that shows no jump of the last `withinMs` forward. Default: 30 days. */
  past(withinMs?: number): number
  earliest(): number
  latest(): number
}

export const wallClock: StoreClock = {
  now: wallTime,
  past: wallTime,
  earliest: wallTime,
  latest: wallTime,
}

/** Rows and changes keep the real time. */
export function replacedClock(clock: () => number): StoreClock {
  return { now: wallTime, past: clock, earliest: clock, latest: clock }
}
