// Answers requests that take too long with a timeout error. One timer serves all requests, because a timer for each would cost
// more than most requests do.

export interface TimedRequest {
  /** The start of the timeout, by `performance.now`. */
  readonly since: number
  /** Answers with a timeout error. The handler's later reply is dropped. */
  expire(): void
  /** Its neighbours in the linked list. */
  earlier: TimedRequest | null
  later: TimedRequest | null
}

export class RequestTimeouts {
  /** A linked list in the order of `since`: every request is added and removed, so both must be fast. */
  #first: TimedRequest | null = null
  #last: TimedRequest | null = null
  readonly #milliseconds: number
  readonly #timer: NodeJS.Timeout

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
    this.#timer = setInterval(() => this.#sweep(), Math.min(1000, milliseconds / 4))
    this.#timer.unref()
  }

  add(pending: TimedRequest): void {
    pending.earlier = this.#last
    if (this.#last === null) this.#first = pending
    else this.#last.later = pending
    this.#last = pending
  }

  /** Does nothing if the request is not in the list. */
  delete(pending: TimedRequest): void {
    const { earlier, later } = pending
    if (earlier === null && this.#first !== pending) return
    if (earlier === null) this.#first = later
    else earlier.later = later
    if (later === null) this.#last = earlier
    else later.earlier = earlier
    pending.earlier = null
    pending.later = null
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #sweep(): void {
    const latest = performance.now() - this.#milliseconds
    for (let pending = this.#first; pending !== null && pending.since <= latest; pending = this.#first) {
      this.delete(pending)
      pending.expire()
    }
  }
}
