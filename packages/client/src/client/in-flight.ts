// Queries in flight. The same query in the meantime shares the request; when all callers have given up, it is aborted. A caller that
// needs the present state shares it only before it is sent: the server may have read the rows of an earlier one before they changed.
// Mutations are never shared.

import type { Cache } from '../cache/cache.ts'
import type { BoundOperation } from '../document/operation.ts'
import type { Answer } from '../errors.ts'

export interface InFlightQuery {
  readonly key: string
  answer: Promise<Answer>
  /** The order of the request, for the cache. */
  readonly order: number
  readonly controller: AbortController
  isSent?: boolean
  /** The response is already in the cache. */
  isWritten?: boolean
  waiting: number
}

type Send = (flight: InFlightQuery) => Promise<Answer>

export class InFlight {
  readonly #cache: Cache
  readonly #flights = new Map<string, InFlightQuery>()

  constructor(cache: Cache) {
    this.#cache = cache
  }

  /** A caller that joins must leave after it has processed the response. Until then the cache protects the fields of
   *  later requests. */
  join({ key }: BoundOperation, isFresh: boolean | undefined, send: Send): InFlightQuery {
    let flight = this.#flights.get(key)
    if (!flight || (isFresh && flight.isSent)) flight = this.#start(key, send)
    flight.waiting++
    return flight
  }

  leave(flight: InFlightQuery): void {
    if (--flight.waiting > 0) return
    this.#forget(flight)
    flight.controller.abort()
    this.#cache.end(flight.order)
  }

  #start(key: string, send: Send): InFlightQuery {
    const flight = {
      key,
      order: this.#cache.begin(),
      controller: new AbortController(),
      waiting: 0,
    } as InFlightQuery
    flight.answer = send(flight).finally(() => this.#forget(flight))
    this.#flights.set(key, flight)
    return flight
  }

  #forget(flight: InFlightQuery): void {
    if (this.#flights.get(flight.key) === flight) this.#flights.delete(flight.key)
  }
}
