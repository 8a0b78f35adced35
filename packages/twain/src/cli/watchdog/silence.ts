// How long the main thread has given no sign.
//
// 1. A machine that is frozen or asleep stops this thread too: a pause between two looks counts as two looks at most.
// 2. On a busy machine the main thread waits for a processor. Linux counts that time, and it is no silence.

import { readFileSync } from 'node:fs'

/** How often the watchdog looks. */
export const lookMs = 500

export class Silence {
  readonly #queuedMs: () => number | null
  #lastBeat = -1
  #lastLook: number
  #lastQueued: number | null = null
  milliseconds = 0

  /** `queuedMs`: how long the main thread has waited for a processor so far; null: not known. */
  constructor(now: number, queuedMs: () => number | null = queuedTime) {
    this.#lastLook = now
    this.#queuedMs = queuedMs
  }

  /** Returns how much time counts since the last look. */
  look(now: number, beat: number, isDebugged: boolean): number {
    const passed = Math.min(now - this.#lastLook, 2 * lookMs)
    this.#lastLook = now
    if (beat !== this.#lastBeat || isDebugged) {
      this.#lastBeat = beat
      this.#lastQueued = null
      this.milliseconds = 0
      return passed
    }
    const queued = this.#queuedMs()
    const waited = queued === null || this.#lastQueued === null ? 0 : queued - this.#lastQueued
    this.#lastQueued = queued
    this.milliseconds += Math.max(0, passed - waited)
    return passed
  }
}

/** The second number of schedstat, in nanoseconds: the time in the queue of a processor. */
function queuedTime(): number | null {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6
  } catch {
    return null
  }
}
