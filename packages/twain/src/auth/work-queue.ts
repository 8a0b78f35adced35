// Runs heavy work one at a time, in a bounded queue. A full queue refuses new work at once.

import { ApiError } from '#base'

export class WorkQueue {
  readonly #maxWaiting: number
  #waiting = 0
  #last: Promise<unknown> = Promise.resolve()

  /** `maxWaiting` includes the work that is running. */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting
  }

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#waiting >= this.#maxWaiting) {
      return Promise.reject(
        new ApiError('UNAVAILABLE', 'Too many sign-ins and sign-ups at the moment.', {
          headers: { 'retry-after': '2' },
        }),
      )
    }
    this.#waiting++
    const done = this.#last.then(work).finally(() => {
      this.#waiting--
    })
    this.#last = done.catch(() => {})
    return done
  }
}
