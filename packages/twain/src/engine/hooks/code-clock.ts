// The time of custom code in an open transaction. It is bounded, because other writes wait for the transaction.
//
// 1. Only the code's own time counts. While the code waits for reads and writes of its context, the time of the request counts
//    (`store/write/open-transaction.ts`): they wait for locks, for the database and for the engine.
// 2. The limit grows with the rows that are written, because hooks run for each.
// 3. It counts from the first read or write on: before that, nobody waits.

import { ApiError } from '#base'
import { clearTimeout, monotonicTime, setTimeout } from '#base/time'

/** docs/reference/custom-code.md states these limits. */
export const maxCodeMs = 1000
const msPerRow = 10

/** A transaction was ended because its code took too long. */
export class CodeTooSlow extends ApiError {
  constructor(milliseconds: number) {
    super(
      'UNAVAILABLE',
      `The custom code of the write took longer than ${milliseconds / 1000} s and was stopped; nothing was written.`,
      {
        hint: 'Other writes wait for this code. Do slow work before the write, or after it (`on`).',
        headers: { 'retry-after': '1' },
      },
    )
  }
}

/** Of one attempt of a transaction. */
export class CodeClock {
  readonly #limit: () => number
  readonly #now: () => number
  readonly #late = Promise.withResolvers<never>()
  #timer: NodeJS.Timeout | undefined
  /** How many runs of code wait for nothing of the engine. */
  #busy = 0
  #since = 0
  #used = 0
  #hasBegun = false
  #isOver = false

  /** `rows`: how many rows are written so far. */
  constructor(limitMs: number, rows: () => number, now = monotonicTime) {
    this.#limit = () => limitMs + rows() * msPerRow
    this.#now = now
  }

  /** Rejects with `CodeTooSlow` as soon as the code has taken too long. */
  async watch<T>(work: Promise<T>): Promise<T> {
    try {
      return await Promise.race([work, this.#late.promise])
    } finally {
      this.#isOver = true
      clearTimeout(this.#timer)
    }
  }

  /** A transaction begins with the first call of its code. */
  begin(): void {
    if (this.#hasBegun || this.#isOver) return
    this.#hasBegun = true
    this.#since = this.#now()
    this.#timer = setTimeout(() => this.#check(), this.#limit())
  }

  go(): void {
    if (this.#busy++ === 0) this.#since = this.#now()
  }

  pause(): void {
    if (--this.#busy > 0 || !this.#hasBegun) return
    this.#used += this.#now() - this.#since
    if (this.#used > this.#limit()) this.#refuse()
  }

  /** The code may have paused meanwhile: then the timer waits for what is left. */
  #check(): void {
    const used = this.#used + (this.#busy > 0 ? this.#now() - this.#since : 0)
    const left = this.#limit() - used
    if (left <= 0) this.#refuse()
    else this.#timer = setTimeout(() => this.#check(), Math.ceil(left))
  }

  #refuse(): void {
    this.#late.reject(new CodeTooSlow(this.#limit()))
  }
}

/** One run of code, and the calls that it makes to the engine. */
export class CodeRun {
  readonly #clock: CodeClock
  #calls = 0
  #isRunning = false

  constructor(clock: CodeClock) {
    this.#clock = clock
  }

  async run<T>(code: () => T | Promise<T>): Promise<T> {
    this.#isRunning = true
    this.#clock.go()
    try {
      return await code()
    } finally {
      this.#isRunning = false
      if (this.#calls === 0) this.#clock.pause()
    }
  }

  /** The code waits for this. */
  async call<T>(make: () => Promise<T>): Promise<T> {
    this.#clock.begin()
    if (this.#calls++ === 0 && this.#isRunning) this.#clock.pause()
    try {
      return await make()
    } finally {
      if (--this.#calls === 0 && this.#isRunning) this.#clock.go()
    }
  }
}
