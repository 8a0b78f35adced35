// Runs heavy work, a few at once. The clients take turns, so that one who asks for much waits only for itself.

import { ApiError } from './errors/api-error.ts'

interface FairQueueOptions {
  maxAtOnce: number
  /** How much work may wait, of one client and of all. What runs does not count. */
  maxOfClient: number
  maxOfAll: number
  /** The message for who is refused, and when to try again. */
  message: string
  retryAfterSeconds: number
}

type Work = () => Promise<unknown>

export class FairQueue {
  readonly #options: FairQueueOptions
  /** The waiting work of each client; the first client is next. */
  readonly #waiting = new Map<string, Work[]>()
  #count = 0
  #running = 0

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  /** Rejects with UNAVAILABLE at once if too much waits. */
  run<Result>(client: string, work: () => Promise<Result>): Promise<Result> {
    const { maxAtOnce, maxOfClient, maxOfAll } = this.#options
    const own = this.#waiting.get(client) ?? []
    if (own.length >= maxOfClient || this.#count >= maxOfAll) return Promise.reject(this.#tooMany())
    return new Promise((resolve, reject) => {
      own.push(() => work().then(resolve, reject))
      this.#waiting.set(client, own)
      this.#count++
      if (this.#running < maxAtOnce) void this.#runAll()
    })
  }

  async #runAll(): Promise<void> {
    this.#running++
    for (let next = this.#take(); next !== null; next = this.#take()) await next()
    this.#running--
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

  #tooMany(): ApiError {
    const { message, retryAfterSeconds } = this.#options
    return new ApiError('UNAVAILABLE', message, { headers: { 'retry-after': String(retryAfterSeconds) } })
  }
}
