// Who wants to hear that there may be something new in the log.

export class Watchers {
  readonly #wakes = new Set<() => void>()

  /** Gives what ends it. */
  add(wake: () => void): () => void {
    const own = () => wake() // the same function may be given twice
    this.#wakes.add(own)
    return () => this.#wakes.delete(own)
  }

  wake(): void {
    for (const wake of this.#wakes) wake()
  }

  clear(): void {
    this.#wakes.clear()
  }
}
