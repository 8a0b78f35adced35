// Queries in flight. The same query in the meantime shares the request; when all callers have given up, it is aborted.
// Mutations are never shared.

import type { Cache } from '../cache/cache.ts'
import type { BoundOperation } from '../document/operation.ts'
import type { Answer } from '../errors.ts'

export interface InFlightQuery {
  readonly key: string
  readonly answer: Promise<Answer>
  /** The order of the request, for the cache. */
  readonly order: number
  readonly controller: AbortController
  /** The response is already in the cache. */
  isWritten: boolean
  waiting: number
}

export class InFlight {
  readonly #cache: Cache
  readonly #flights = new Map<string, InFlightQuery>()

  constructor(cache: Cache) {
    this.#cache = cache
  }

  /** A caller that joins must leave after it has processed the response. Until then the cache protects the fields of
   *  later requests. */
  join({ key }: BoundOperation, send: (signal: AbortSignal) => Promise<Answer>): InFlightQuery {
    const flight = this.#flights.get(key) ?? this.#start(key, send)
    flight.waiting++
    return flight
  }

  leave(flight: InFlightQuery): void {
    if (--flight.waiting > 0) return
    this.#forget(flight)
    flight.controller.abort()
    this.#cache.end(flight.order)
  }

  #start(key: string, send: (signal: AbortSignal) => Promise<Answer>): InFlightQuery {
    const order = this.#cache.begin()
    const controller = new AbortController()
    const answer = send(controller.signal).finally(() => this.#forget(flight))
    const flight: InFlightQuery = { key, answer, order, controller, isWritten: false, waiting: 0 }
    this.#flights.set(key, flight)
    return flight
  }

  #forget(flight: InFlightQuery): void {
    if (this.#flights.get(flight.key) === flight) this.#flights.delete(flight.key)
  }
}

/** The promise, or a rejection with the signal's reason as soon as it aborts. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
