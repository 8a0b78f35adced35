// Cuts off what takes too long: a request whose answer is not there in time gets another one. One timer looks after all of
// them, since one for each would cost more than most requests do.

export interface TimedRequest {
  /** From when its time is counted, by `performance.now`. */
  readonly since: number
  /** Answers in place of the door, whose own answer then comes too late. */
  expire(): void
  /** Its neighbours among those that wait. */
  earlier: TimedRequest | null
  later: TimedRequest | null
}

export class RequestTimeouts {
  /** In the order of that moment, linked to each other: joining and leaving is the way of every request. */
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

  /** Also of one that is not there. */
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
