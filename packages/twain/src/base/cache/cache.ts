// An LRU cache whose entries have a weight in bytes. Caches share the capacity of a CacheBudget, so that a stream of unusual
// requests can't fill memory, whichever caches it goes through.

import type { BudgetedCache, CacheBudget } from './cache-budget.ts'

/** The estimated size of an entry beside its key and value. */
const entryBytes = 100

interface CacheEntry<Value> {
  value: Value
  bytes: number
}

export interface CacheOptions<Key, Value> {
  /** The label of its metrics. Caches of one name count together. */
  name: string
  budget: CacheBudget
  /** The estimated size of an entry in memory, with everything that only this entry keeps alive. */
  bytes(value: Value, key: Key): number
  /** Called with each entry that the cache drops. */
  onDrop?(value: Value, key: Key): void
}

export class Cache<Key extends string | object, Value> implements BudgetedCache {
  readonly name: string
  readonly #entries = new Map<Key, CacheEntry<Value>>()
  readonly #budget: CacheBudget
  readonly #bytesOf: CacheOptions<Key, Value>['bytes']
  readonly #onDrop: CacheOptions<Key, Value>['onDrop']
  #bytes = 0
  #hits = 0
  #misses = 0

  constructor({ name, budget, bytes, onDrop }: CacheOptions<Key, Value>) {
    this.name = name
    this.#budget = budget
    this.#bytesOf = bytes
    this.#onDrop = onDrop
    budget.add(this)
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) {
      this.#misses++
      return undefined
    }
    this.#hits++
    // While there is space nothing is evicted, so the order of use is not tracked: a hit is one look-up.
    if (this.#budget.isTight) {
      this.#entries.delete(key)
      this.#entries.set(key, entry)
    }
    return entry.value
  }

  /** False: the entry is not cached. It is larger than a cache may hold, or large and seen for the first time. */
  set(key: Key, value: Value): boolean {
    const bytes = entryBytes + (typeof key === 'string' ? key.length : 0) + this.#bytesOf(value, key)
    this.delete(key)
    if (!this.#budget.admits(bytes, key)) return false
    this.#entries.set(key, { value, bytes })
    this.#bytes += bytes
    this.#budget.grew(bytes)
    return true
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
    this.#budget.grew(-entry.bytes)
    this.#onDrop?.(entry.value, key)
  }

  dropOldest(): void {
    for (const key of this.#entries.keys()) {
      this.delete(key)
      return
    }
  }

  /** Drops everything, and counts no more in the budget. */
  close(): void {
    for (const key of [...this.#entries.keys()]) this.delete(key)
    this.#budget.remove(this)
  }

  get size(): number {
    return this.#entries.size
  }

  get bytes(): number {
    return this.#bytes
  }

  get hits(): number {
    return this.#hits
  }

  get misses(): number {
    return this.#misses
  }
}
