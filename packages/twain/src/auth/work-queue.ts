// Heavy work, one at a time, with a line that has an end: who would stand behind it is told at once to come again.

import { ApiError } from '#base'

export class WorkQueue {
  readonly #most: number
  #waiting = 0
  #last: Promise<unknown> = Promise.resolve()

  /** `most` may wait, the one being done among them. */
  constructor(most: number) {
    this.#most = most
  }

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#waiting >= this.#most) {
      return Promise.reject(
        new ApiError('UNAVAILABLE', 'Too many are signing in or up just now.', { headers: { 'retry-after': '2' } }),
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
