// The callbacks to call when the change log may have new changes.

export class Watchers {
  readonly #wakes = new Set<() => void>()

  /** Returns a function that removes it. */
  add(wake: () => void): () => void {
    const own = () => wake() // the same function may be added twice
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
