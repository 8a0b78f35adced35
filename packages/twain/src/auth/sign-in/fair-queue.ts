// Runs heavy work one at a time. The clients take turns, so that one who asks for much waits only for itself.

import { ApiError } from '#base'

/** Of one client, and of all. The running one does not count. */
const maxOfClient = 50
const maxOfAll = 500

type Work = () => Promise<unknown>

export class FairQueue {
  /** The waiting work of each client; the first client is next. */
  readonly #waiting = new Map<string, Work[]>()
  #count = 0
  #isRunning = false

  /** Rejects with UNAVAILABLE at once if too much waits. */
  run<Result>(client: string, work: () => Promise<Result>): Promise<Result> {
    const own = this.#waiting.get(client) ?? []
    if (own.length >= maxOfClient || this.#count >= maxOfAll) return Promise.reject(tooMany())
    return new Promise((resolve, reject) => {
      own.push(() => work().then(resolve, reject))
      this.#waiting.set(client, own)
      this.#count++
      if (!this.#isRunning) void this.#runAll()
    })
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true
    for (let next = this.#take(); next !== null; next = this.#take()) await next()
    this.#isRunning = false
  }

  #take(): Work | null {
    for (const [client, own] of this.#waiting) {
      this.#waiting.delete(client)
      const [next, ...rest] = own
      if (rest.length > 0) this.#waiting.set(client, rest) // behind the others
      this.#count--
      return next!
    }
    return null
  }
}

function tooMany(): ApiError {
  return new ApiError('UNAVAILABLE', 'Too many sign-ins and sign-ups at the moment.', {
    headers: { 'retry-after': '2' },
  })
}
