// Answers requests that take too long with a timeout error. One timer serves all requests, because a timer for each would cost
// more than most requests do.

import { type Linked, LinkedList } from '#base'
import { clearInterval, monotonicTime, setInterval } from '#base/time'

export interface TimedRequest extends Linked<TimedRequest> {
  /** The start of the timeout, by `performance.now`. */
  readonly since: number
  /** Answers with a timeout error. The handler's later reply is dropped. */
  expire(): void
}

export class RequestTimeouts {
  /** In the order of `since`. */
  readonly #pending = new LinkedList<TimedRequest>()
  readonly #milliseconds: number
  readonly #timer: NodeJS.Timeout

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
    this.#timer = setInterval(() => this.#sweep(), Math.min(1000, milliseconds / 4))
    this.#timer.unref()
  }

  add(request: TimedRequest): void {
    this.#pending.add(request)
  }

  /** Does nothing if the request is not in the list. */
  delete(request: TimedRequest): void {
    this.#pending.delete(request)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #sweep(): void {
    const latest = monotonicTime() - this.#milliseconds
    let { first } = this.#pending
    while (first !== null && first.since <= latest) {
      this.#pending.delete(first)
      first.expire()
      first = this.#pending.first
    }
  }
}
