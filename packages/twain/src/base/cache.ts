// A map that keeps the most recently used entries and forgets the rest, so that no stream of odd requests fills memory.

export class Cache<Key, Value> {
  readonly #entries = new Map<Key, Value>()
  readonly #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    // While there is room nothing is forgotten, so the order of use need not be kept: a hit is one look-up.
    if (this.#entries.size >= this.#capacity) {
      this.#entries.delete(key)
      this.#entries.set(key, value)
    }
    return value
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#capacity) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  get size(): number {
    return this.#entries.size
  }
}
