// The clock by which tokens, sessions and signatures end: the time of the system, except that it never goes back. When the
// system clock is set back, it goes on with the time that has really passed, also while the machine slept, until the system clock has
// caught up.

import { monotonicTime, sleptTime, wallTime } from './time.ts'

interface SteadyClockOptions {
  /** Milliseconds since 1970. */
  wall?: () => number
  /** Milliseconds that no change of the system clock affects. */
  monotonic?: () => number
  /** As `sleptTime`. */
  slept?: () => number
  /** Called once for each step back, with its size. */
  onStepBack?: (milliseconds: number) => void
}

/** Smaller corrections of the system clock are usual. */
const reportedStepMs = 1000

export function steadyClock({
  wall = wallTime,
  monotonic = monotonicTime,
  slept = sleptTime,
  onStepBack,
}: SteadyClockOptions = {}): () => number {
  let lastWall = wall()
  let last = lastWall
  let lastMonotonic = monotonic()
  /** Asked for only while this clock is ahead of the system's: it is inexact, and costs a system call. Null: it is not ahead. */
  let lastSlept: number | null = null
  return () => {
    const now = wall()
    const elapsed = monotonic() - lastMonotonic
    const step = lastWall + elapsed - now
    if (step > reportedStepMs) onStepBack?.(step)
    last = Math.max(now, last + elapsed)
    if (last - now <= reportedStepMs) lastSlept = null
    else {
      const sleptNow = slept()
      lastSlept ??= sleptNow
      if (sleptNow - lastSlept > reportedStepMs) {
        last += sleptNow - lastSlept
        lastSlept = sleptNow
      }
    }
    lastMonotonic += elapsed
    lastWall = now
    return Math.floor(last)
  }
}
