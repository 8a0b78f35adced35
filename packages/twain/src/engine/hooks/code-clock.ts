// The time of custom code: of the code in an open transaction, which is bounded because other writes wait for it, and of a call.
//
// 1. Only the code's own time counts. While all of it waits for reads and writes of its context, they wait for locks, for the database
//    and for the engine. A transaction has a time for that (`store/write/open-transaction.ts`), a call has one here.
// 2. The time of a transaction grows with the rows that are written, because hooks run for each. It counts from the first read or write
//    on: before that, nobody waits.

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

export interface CodeTime {
  /** How long the code may take by itself. */
  codeMs(): number
  /** How long it may wait in all. */
  waitMs: number
  /** What `watch` rejects with. Called at most once. */
  late(what: 'code' | 'wait'): Error
}

/** `rows`: how many rows are written so far. */
export function transactionTime(maxMs: number, rows: () => number): CodeTime {
  const codeMs = () => maxMs + rows() * msPerRow
  return { codeMs, waitMs: Number.POSITIVE_INFINITY, late: () => new CodeTooSlow(codeMs()) }
}

/** Of one call, or of one attempt of a transaction. */
export class CodeClock {
  readonly #time: CodeTime
  readonly #now: () => number
  readonly #late = Promise.withResolvers<never>()
  #timer: NodeJS.Timeout | undefined
  /** When the timer acts. */
  #due = Number.POSITIVE_INFINITY
  /** How many runs of code wait for nothing of the engine. */
  #busy = 0
  #since = 0
  #used = 0
  #waited = 0
  #hasBegun = false
  #isOver = false

  constructor(time: CodeTime, now = monotonicTime) {
    this.#time = time
    this.#now = now
  }

  /** Rejects as soon as the time is over. */
  async watch<T>(work: Promise<T>): Promise<T> {
    try {
      return await Promise.race([work, this.#late.promise])
    } finally {
      this.#isOver = true
      clearTimeout(this.#timer)
    }
  }

  begin(): void {
    if (this.#hasBegun || this.#isOver) return
    this.#hasBegun = true
    this.#since = this.#now()
    this.#arm()
  }

  go(): void {
    if (this.#busy++ > 0) return
    const now = this.#now()
    if (this.#hasBegun) this.#waited += now - this.#since
    this.#since = now
    if (this.#hasBegun && this.#due > now + this.#left()) this.#arm()
  }

  pause(): void {
    this.stop()
    if (this.#busy === 0 && this.#used > this.#time.codeMs()) this.end('code')
  }

  /** Code that has ended is not too late. */
  stop(): void {
    if (--this.#busy > 0 || !this.#hasBegun) return
    const now = this.#now()
    this.#used += now - this.#since
    this.#since = now
  }

  /** Gives up: because the time is over, or for another reason. */
  end(why: 'code' | 'wait' | Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#late.promise.catch(() => {}) // nobody may watch yet
    this.#late.reject(why instanceof Error ? why : this.#time.late(why))
  }

  /** What is left of the time that passes now. */
  #left(): number {
    const passed = this.#now() - this.#since
    if (this.#busy > 0) return this.#time.codeMs() - this.#used - passed
    return this.#time.waitMs - this.#waited - passed
  }

  /** The code may begin or end to wait before the timer acts: then it waits for what is left. */
  #arm(): void {
    if (this.#isOver) return
    clearTimeout(this.#timer)
    const left = this.#left()
    this.#due = left === Number.POSITIVE_INFINITY ? left : this.#now() + left
    if (left === Number.POSITIVE_INFINITY) return
    this.#timer = setTimeout(
      () => (this.#left() <= 0 ? this.end(this.#busy > 0 ? 'code' : 'wait') : this.#arm()),
      Math.ceil(left),
    )
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
      if (this.#calls === 0) this.#clock.stop()
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
