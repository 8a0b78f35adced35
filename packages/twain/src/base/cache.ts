// An LRU cache: bounded, so that a stream of unusual requests can't fill memory.

export class Cache<Key, Value> {
  readonly #entries = new Map<Key, Value>()
  readonly #capacity: number
  readonly #weigh: (value: Value) => number
  #weight = 0
  #hits = 0
  #misses = 0
  #heaviest = 0

  /** `weigh` returns the share of the capacity that a value uses; 1 when left out. */
  constructor(capacity: number, weigh: (value: Value) => number = () => 1) {
    this.#capacity = capacity
    this.#weigh = weigh
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) {
      this.#misses++
      return undefined
    }
    this.#hits++
    // While capacity is left nothing is evicted, so the order of use is not tracked: a hit is one look-up.
    if (this.#weight + this.#heaviest > this.#capacity) {
      this.#entries.delete(key)
      this.#entries.set(key, value)
    }
    return value
  }

  /** A value heavier than the whole capacity is not cached. */
  set(key: Key, value: Value): void {
    const weight = this.#weigh(value)
    this.#remove(key)
    if (weight > this.#capacity) return
    this.#entries.set(key, value)
    this.#weight += weight
    this.#heaviest = Math.max(this.#heaviest, weight)
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#capacity) return
      this.#remove(oldest)
    }
  }

  #remove(key: Key): void {
    const value = this.#entries.get(key)
    if (value === undefined) return
    this.#entries.delete(key)
    this.#weight -= this.#weigh(value)
  }

  get size(): number {
    return this.#entries.size
  }

  /** Number of hits and misses. */
  get hits(): number {
    return this.#hits
  }

  get misses(): number {
    return this.#misses
  }
}
