// Runs heavy work, a few at once. The clients take turns, so that one who asks for much waits only for itself.

import { ApiError } from './errors/api-error.ts'

interface FairQueueOptions {
  maxAtOnce: number
  /** How much of it may be of one client. Default: all. */
  maxAtOnceOfClient?: number
  /** How much work may wait, of one client and of all. What runs does not count. */
  maxOfClient: number
  maxOfAll: number
  /** The message for who is refused, what else to do, and when to try again. */
  message: string
  hint?: string
  retryAfterSeconds: number
}

type Work = () => Promise<unknown>

export class FairQueue {
  readonly #options: FairQueueOptions
  /** The waiting work of each client; the first client is next. */
  readonly #waiting = new Map<string, Work[]>()
  #count = 0
  readonly #running = new Map<string, number>()
  #runs = 0

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
      if (this.#runs < maxAtOnce) void this.#runAll()
    })
  }

  async #runAll(): Promise<void> {
    this.#runs++
    for (let next = this.#take(); next !== null; next = this.#take()) await next()
    this.#runs--
  }

  #take(): Work | null {
    const { maxAtOnceOfClient = Number.POSITIVE_INFINITY } = this.#options
    for (const [client, own] of this.#waiting) {
      const running = this.#running.get(client) ?? 0
      if (running >= maxAtOnceOfClient) continue
      this.#waiting.delete(client)
      const [next, ...rest] = own
      if (rest.length > 0) this.#waiting.set(client, rest) // behind the others
      this.#count--
      this.#running.set(client, running + 1)
      return () => next!().then(() => this.#ended(client))
    }
    return null
  }

  #ended(client: string): void {
    const running = this.#running.get(client)! - 1
    if (running === 0) this.#running.delete(client)
    else this.#running.set(client, running)
  }

  #tooMany(): ApiError {
    const { message, hint, retryAfterSeconds } = this.#options
    return new ApiError('UNAVAILABLE', message, {
      ...(hint && { hint }),
      headers: { 'retry-after': String(retryAfterSeconds) },
    })
  }
}
