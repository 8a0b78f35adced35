// Cuts off what takes too long: a request whose answer is not there in time gets another one. One timer looks after all of
// them, since one for each would cost more than most requests do.

export interface Pending {
  /** By `performance.now`. */
  readonly began: number
  /** Answers in place of the door, whose own answer then comes too late. */
  expire(): void
}

export class Deadlines {
  /** In the order in which they began. */
  readonly #pending = new Set<Pending>()
  readonly #milliseconds: number
  readonly #timer: NodeJS.Timeout

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
    this.#timer = setInterval(() => this.#sweep(), Math.min(1000, milliseconds / 4))
    this.#timer.unref()
  }

  add(pending: Pending): void {
    this.#pending.add(pending)
  }

  delete(pending: Pending): void {
    this.#pending.delete(pending)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #sweep(): void {
    const latest = performance.now() - this.#milliseconds
    for (const pending of this.#pending) {
      if (pending.began > latest) return
      this.#pending.delete(pending)
      pending.expire()
    }
  }
}
