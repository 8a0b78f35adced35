// The time of one call of custom code. A late call fails its own field only, and its signal is aborted.
//
// 1. Its own time counts for `limits.codeSeconds`. While all that it runs waits for Twain, `limits.timeSeconds` counts.
// 2. A call that was given up writes nothing more. Its transaction is rolled back, and does not run again.
// 3. What is being committed at that moment may be made. Then the answer says so: nobody may take it for a refusal.

import { ApiError, asApiError } from '#base'
import type { Viewer } from '#base/http'
import { CodeClock, type CodeEngine, CodeRun, wrapCodeEngine } from '#engine'
import { isReadPlan } from '#plan'

/** In seconds. 0: none. */
export interface CallLimits {
  codeSeconds: number
  timeSeconds: number
}

/** `timed` makes the engine of the call. */
type Call<T> = (signal: AbortSignal, timed: (engine: CodeEngine) => CodeEngine) => T | Promise<T>

/** Rejects with an ApiError. */
export async function runInTime<T>(functionName: string, limits: CallLimits, call: Call<T>): Promise<T> {
  try {
    return await (limits.codeSeconds === 0
      ? call(notAborted, (engine) => engine)
      : new CallTime(functionName, limits).run(call))
  } catch (error) {
    throw asApiError(error)
  }
}

export const notAborted: AbortSignal = new AbortController().signal

class CallTime {
  readonly #functionName: string
  readonly #limits: CallLimits
  readonly #clock: CodeClock
  readonly #ending = new AbortController()
  /** How many writes and commits are on their way. */
  #unsure = 0
  #hasWritten = false

  constructor(functionName: string, limits: CallLimits) {
    const { codeSeconds, timeSeconds } = limits
    this.#functionName = functionName
    this.#limits = limits
    this.#clock = new CodeClock({
      codeMs: () => codeSeconds * 1000,
      waitMs: timeSeconds === 0 ? Number.POSITIVE_INFINITY : timeSeconds * 1000,
      late: (what) => this.#giveUp(what),
    })
  }

  run<T>(call: Call<T>): Promise<T> {
    const run = new CodeRun(this.#clock)
    this.#clock.begin()
    return this.#clock.watch(run.run(() => call(this.#ending.signal, (engine) => this.#timed(engine, run))))
  }

  #timed(engine: CodeEngine, run: CodeRun): CodeEngine {
    const { isInTransaction } = engine
    const write = <R>(make: () => Promise<R>) => run.call(() => (isInTransaction ? make() : this.#write(make)))
    return wrapCodeEngine(engine, {
      execute: (boundPlan, viewer, options) => {
        const make = async () => engine.execute(boundPlan, viewer, options)
        return isReadPlan(boundPlan.plan) ? run.call(make) : write(make)
      },
      transaction: (viewer, work) =>
        run.call(() =>
          isInTransaction ? engine.transaction(viewer, this.#attempt(work)) : this.#transaction(engine, viewer, work),
        ),
      enqueue: (job) => write(() => engine.enqueue(job)),
    })
  }

  async #write<T>(make: () => Promise<T>): Promise<T> {
    this.#ending.signal.throwIfAborted()
    this.#unsure++
    try {
      const made = await make()
      this.#hasWritten = true
      return made
    } finally {
      this.#unsure--
    }
  }

  async #transaction<T>(engine: CodeEngine, viewer: Viewer, work: (inside: CodeEngine) => Promise<T>): Promise<T> {
    let isCommitting = false
    const commits = (now: boolean) => {
      this.#unsure += Number(now) - Number(isCommitting)
      isCommitting = now
    }
    const attempt = this.#attempt(work)
    const begin = (inside: CodeEngine) => {
      commits(false)
      return attempt(inside)
    }
    const limited = { signal: this.#ending.signal, committing: () => commits(true) }
    try {
      const made = await engine.transaction(viewer, begin, limited)
      this.#hasWritten = true
      return made
    } finally {
      commits(false)
    }
  }

  #attempt<T>(work: (inside: CodeEngine) => Promise<T>): (inside: CodeEngine) => Promise<T> {
    return (inside) => {
      const run = new CodeRun(this.#clock)
      return run.run(() => work(this.#timed(inside, run)))
    }
  }

  #giveUp(what: 'code' | 'wait'): ApiError {
    const error = this.#late(what)
    this.#ending.abort(error)
    return error
  }

  #late(what: 'code' | 'wait'): ApiError {
    const { codeSeconds, timeSeconds } = this.#limits
    const sentence =
      what === 'code'
        ? `${this.#functionName} did not finish within ${codeSeconds} s`
        : `${this.#functionName} waited longer than ${timeSeconds} s for the database or for other writes`
    if (this.#unsure > 0) {
      const hint = 'Read what it was about before you call it again.'
      return new ApiError('UNAVAILABLE', `${sentence}; whether its last write was made is not known.`, { hint })
    }
    if (this.#hasWritten) return new ApiError('UNAVAILABLE', `${sentence}; what it had written before is kept.`)
    const headers = { 'retry-after': String(codeSeconds) }
    return new ApiError('UNAVAILABLE', `${sentence}.`, { headers })
  }
}
