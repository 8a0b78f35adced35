// Bounds how many images are made at a time, and how many wait for that.

import { ApiError } from '#base'

const maxAtOnce = 2
const maxWaiting = 100

export class MakingSlots {
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** Throws UNAVAILABLE if too many wait already. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= maxAtOnce) await this.#wait()
    else this.#running++
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next() // it takes over the slot
    }
  }

  async #wait(): Promise<void> {
    if (this.#waiting.length >= maxWaiting) {
      throw new ApiError('UNAVAILABLE', 'Too many images are being made at the moment.', {
        headers: { 'retry-after': '5' },
      })
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
