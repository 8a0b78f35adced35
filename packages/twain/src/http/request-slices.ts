// Bounds how long the event loop handles requests without a look at its other events.
//
// Node hands over the requests of all connections that are ready in one turn of the event loop. With 32 connections and lists of a
// millisecond, a turn takes 32 ms. A write would wait for the end of its turn to be sent to the writer, and for the end of another to
// get its result. So after a slice of time the rest of the requests waits, and the loop turns in between.
//
// 1. Each request is handled in one piece. Reads of a connection keep their order, and so do its writes. Where both wait, they take turns: a write must wait for its
//    commit too, and at most one write goes before each read. Requests of one connection that must not be handled in parallel do not
//    come here together (`connection-order.ts`).
// 2. A slice ends after `maxRequests` requests too: where they are short, a write would wait for many of them.
// 3. When the writer thread of SQLite has results, the slice ends after `minRequests` requests: those who wait for the results get them, and the
//    thread gets the next group. Not after each request: every commit makes the reading connection look up its pages again.
// 4. Clients take turns (`request-turns.ts`): who sends many requests waits for them alone.
// 5. The loop accepts one connection in each turn. So turns in which one came are followed by another before the next slice: else a burst of
//    connections would keep others from being accepted for seconds.
// 6. The number of waiting requests is bounded, first by those of a connection (`connection-order.ts`). Beyond the bound one of them is
//    handled at once, which takes time, not memory.

import { monotonicTime } from '#base/time'
import { RequestTurns } from './request-turns.ts'

/** Other events wait at most so long, and for the longest request. */
const sliceMs = 4
const maxWaiting = 4096
/** A slice has at least so many requests, unless its time is over, and at most so many. */
const minRequests = 8
const maxRequests = 16
/** See 5. */
const maxTurns = 100

export interface SlicedRequest {
  /** The network of its client, and what stands for its connection. These are looked at only if it must wait. */
  readonly network: string
  readonly connection: object
  /** Whether it may write. */
  readonly isWrite: boolean
  /** Must not throw. */
  handle(): void
}

export class RequestSlices {
  readonly #hasResults: () => boolean
  readonly #countConnections: () => number
  readonly #clock: () => number
  readonly #reads = new RequestTurns<SlicedRequest>()
  readonly #writes = new RequestTurns<SlicedRequest>()
  /** Whether the last of those that had waited was a write. */
  #wasWrite = false
  /** When the slice began; null: no request has come in this turn. */
  #began: number | null = null
  /** The requests of the slice so far. */
  #handled = 0
  /** See 5: the connections that had come, and the turns since the slice. */
  #connections = 0
  #turns = 0

  /** `hasResults`: whether results of writes wait for the event loop. `countConnections`: how many have come so far. `clock` returns
   *  milliseconds. */
  constructor(hasResults: () => boolean, countConnections: () => number, clock: () => number = () => monotonicTime()) {
    this.#hasResults = hasResults
    this.#countConnections = countConnections
    this.#clock = clock
  }

  /** Handles a request at once, or later if this turn had its slice. */
  take(request: SlicedRequest): void {
    const waiting = this.#waiting
    const began = this.#began ?? this.#begin()
    if (waiting > 0 || this.#isOver(began)) (request.isWrite ? this.#writes : this.#reads).push(request)
    else {
      this.#handled++
      request.handle()
    }
    if (waiting === maxWaiting) this.#handleNext()
  }

  get #waiting(): number {
    return this.#reads.count + this.#writes.count
  }

  #isOver(began: number): boolean {
    if (this.#handled >= maxRequests || this.#clock() - began >= sliceMs) return true
    return this.#handled >= minRequests && this.#hasResults()
  }

  #handleNext(): void {
    this.#handled++
    this.#wasWrite = this.#reads.count === 0 || (this.#writes.count > 0 && !this.#wasWrite)
    ;(this.#wasWrite ? this.#writes : this.#reads).take().handle()
  }

  /** The slice ends where the callback of `setImmediate` runs: after the loop has looked at its events. */
  #begin(): number {
    setImmediate(() => this.#turn())
    this.#handled = 0
    this.#began = this.#clock()
    return this.#began
  }

  #turn(): void {
    if (this.#waiting === 0) {
      this.#began = null
      return
    }
    if (this.#awaitsConnections()) {
      setImmediate(() => this.#turn())
      return
    }
    const began = this.#begin()
    while (this.#waiting > 0 && !this.#isOver(began)) this.#handleNext()
  }

  #awaitsConnections(): boolean {
    const connections = this.#countConnections()
    const isNew = connections !== this.#connections && this.#turns < maxTurns
    this.#connections = connections
    this.#turns = isNew ? this.#turns + 1 : 0
    return isNew
  }
}
