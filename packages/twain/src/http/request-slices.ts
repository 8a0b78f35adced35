// Bounds how long the event loop handles requests without a look at its other events.
//
// Node hands over the requests of all connections that are ready in one turn of the event loop. With 32 connections and lists of a
// millisecond, a turn takes 32 ms. A write would wait for the end of its turn to be sent to the writer, and for the end of another to
// get its result. So after a slice of time the rest of the requests waits, in order, and the loop turns in between.
//
// 1. Requests are handled in the order in which they came, and each of them in one piece.
// 2. When the writer thread of SQLite has results, the slice ends after `minRequests` requests: those who wait for the results get them, and the
//    thread gets the next group. Not after each request: every commit makes the reading connection look up its pages again.
// 3. The number of waiting requests is bounded. Beyond it the first of them is handled at once, which takes its connection's time, not
//    memory: a client can send thousands of requests in one packet.

/** Other events wait at most so long, and for the longest request. */
const sliceMs = 4
const maxWaiting = 256
/** A slice has at least so many requests, unless its time is over. */
const minRequests = 8

export interface SlicedRequest {
  /** Must not throw. */
  handle(): void
}

export class RequestSlices {
  readonly #hasResults: () => boolean
  readonly #clock: () => number
  /** Those from `#next` on wait. */
  #waiting: SlicedRequest[] = []
  #next = 0
  /** When the slice began; null: no request has come in this turn. */
  #began: number | null = null
  /** The requests of the slice so far. */
  #handled = 0

  /** `hasResults`: whether results of writes wait for the event loop. `clock` returns milliseconds. */
  constructor(hasResults: () => boolean, clock: () => number = () => performance.now()) {
    this.#hasResults = hasResults
    this.#clock = clock
  }

  /** Handles a request at once, or later if this turn had its slice. */
  take(request: SlicedRequest): void {
    const waiting = this.#waiting.length - this.#next
    const began = this.#began ?? this.#begin()
    if (waiting > 0 || this.#isOver(began)) this.#waiting.push(request)
    else {
      this.#handled++
      request.handle()
    }
    if (waiting === maxWaiting) this.#handleNext()
  }

  #isOver(began: number): boolean {
    return this.#clock() - began >= sliceMs || (this.#handled >= minRequests && this.#hasResults())
  }

  #handleNext(): void {
    this.#handled++
    this.#waiting[this.#next++]!.handle()
    if (this.#next < maxWaiting) return
    this.#waiting = this.#waiting.slice(this.#next)
    this.#next = 0
  }

  /** The slice ends where the callback of `setImmediate` runs: after the loop has looked at its events. */
  #begin(): number {
    setImmediate(() => this.#turn())
    this.#handled = 0
    this.#began = this.#clock()
    return this.#began
  }

  #turn(): void {
    if (this.#waiting.length === 0) {
      this.#began = null
      return
    }
    const began = this.#begin()
    while (this.#next < this.#waiting.length && !this.#isOver(began)) this.#handleNext()
    if (this.#next < this.#waiting.length) return
    this.#waiting = []
    this.#next = 0
  }
}
