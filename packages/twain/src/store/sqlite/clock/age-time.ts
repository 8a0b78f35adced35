// The time by which a SQLite store measures how long it keeps something: the time that has really passed. No jump of the wall clock
// changes it while the server runs. What passed between two runs is known by the wall clock alone, so it is believed slowly: this
// time then goes ten times as fast, until it has caught up. It catches up so with the time for which the machine slept, too. It may
// differ from the wall clock for ever, and is shown nowhere.

import { monotonicTime, sleptTime, wallTime } from '#base/time'

/** How much faster than time it goes after a pause. */
const maxCatchUp = 9

export interface StoredAge {
  age: number
  /** How far the wall clock was ahead of it. */
  ahead: number
}

export class AgeTime {
  #age: number
  /** What is left to catch up. */
  #lag = 0
  #measured = monotonicTime()
  #slept = sleptTime()

  /** `stored`: where it stood when it was stored last; null: it begins. */
  constructor(stored: StoredAge | null) {
    this.#age = stored?.age ?? wallTime()
    if (stored !== null) this.#lag = Math.max(0, wallTime() - stored.ahead - stored.age)
  }

  read(): number {
    const measured = monotonicTime()
    const elapsed = measured - this.#measured
    const caughtUp = Math.min(this.#lag, maxCatchUp * elapsed)
    this.#measured = measured
    this.#lag -= caughtUp
    this.#age += elapsed + caughtUp
    return this.#age
  }

  /** Where it will have caught up to: what begins now must not grow old faster than time goes. */
  readCaughtUp(): number {
    return this.read() + this.#lag
  }

  toStored(): StoredAge {
    this.#countSleep()
    const age = Math.floor(this.read())
    return { age, ahead: this.ahead() }
  }

  /** How far the wall clock is ahead of it. */
  ahead(): number {
    return Math.round(wallTime() - this.readCaughtUp())
  }

  #countSleep(): void {
    const slept = Math.max(0, sleptTime() - this.#slept)
    this.#slept += slept
    this.#lag += slept
  }
}
