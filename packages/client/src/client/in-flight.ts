// Queries that are on their way. The same question asked again meanwhile is the same request; when all who asked have given
// up, it is aborted. A mutation is never shared.

import type { Cache } from '../cache/cache.ts'
import type { Question } from '../document/operation.ts'
import type { Answer } from '../errors.ts'

export interface Flight {
  readonly key: string
  readonly answer: Promise<Answer>
  /** When it began, for the cache. */
  readonly order: number
  readonly controller: AbortController
  /** The cache has been told already. */
  isWritten: boolean
  waiting: number
}

export class InFlight {
  readonly #cache: Cache
  readonly #flights = new Map<string, Flight>()

  constructor(cache: Cache) {
    this.#cache = cache
  }

  /** Who joins leaves when it has done with the answer: until then the cache minds what was asked later. */
  join({ key }: Question, send: (signal: AbortSignal) => Promise<Answer>): Flight {
    const flight = this.#flights.get(key) ?? this.#start(key, send)
    flight.waiting++
    return flight
  }

  leave(flight: Flight): void {
    if (--flight.waiting > 0) return
    this.#forget(flight)
    flight.controller.abort()
    this.#cache.end(flight.order)
  }

  #start(key: string, send: (signal: AbortSignal) => Promise<Answer>): Flight {
    const order = this.#cache.begin()
    const controller = new AbortController()
    const answer = send(controller.signal).finally(() => this.#forget(flight))
    const flight: Flight = { key, answer, order, controller, isWritten: false, waiting: 0 }
    this.#flights.set(key, flight)
    return flight
  }

  #forget(flight: Flight): void {
    if (this.#flights.get(flight.key) === flight) this.#flights.delete(flight.key)
  }
}

/** The promise, or the signal's reason as soon as it aborts. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
