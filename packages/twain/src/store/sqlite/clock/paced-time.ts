// A time that follows the wall clock at most ten times as fast as time passes, in either direction. So it makes no jump: after the
// wall clock has jumped by nine days, it needs a day to follow. Old things that have times of the wall clock are judged by it.

import { monotonicTime, wallTime } from '#base/time'

/** How much faster, or slower, than time it may go. */
const maxCorrection = 9

export class PacedTime {
  #time: number
  #measured = monotonicTime()

  /** `start`: where it stood when it was stored last. */
  constructor(start: number) {
    this.#time = start
  }

  read(): number {
    const measured = monotonicTime()
    const elapsed = measured - this.#measured
    this.#measured = measured
    const lag = wallTime() - (this.#time + elapsed)
    const largest = maxCorrection * elapsed
    this.#time += elapsed + Math.max(-largest, Math.min(lag, largest))
    return this.#time
  }
}
