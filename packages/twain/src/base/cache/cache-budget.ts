// The memory that caches share (`limits.cacheBytes`).
//
// 1. The caches never have more than the capacity. Whatever is added beyond it, the heaviest cache drops its least recently
//    used entries: a flood of one kind of request displaces only its own kind.
// 2. A large entry is cached when its key comes for the second time. One request can't displace a thousand small entries.
// 3. What is in use and can't be dropped, such as the plan of an open subscription, is held (`held-memory.ts`). It takes
//    capacity from the caches.

import type { Gauge } from '../telemetry.ts'
import { FirstSights } from './first-sights.ts'
import { HeldMemory, type MemoryHolder } from './held-memory.ts'

/** What a cache tells its budget. */
export interface BudgetedCache {
  readonly name: string
  readonly size: number
  readonly bytes: number
  readonly hits: number
  readonly misses: number
  dropOldest(): void
}

export const defaultCacheBytes = 50_331_648

/** The part of the capacity from which on an entry is large (2). */
const largeShare = 1 / 256

export class CacheBudget {
  readonly #capacity: number
  readonly #caches = new Set<BudgetedCache>()
  readonly #sights = new FirstSights()
  readonly #held: HeldMemory
  #bytes = 0
  /** Whether entries may have to be dropped soon, so that caches track the order of use. */
  isTight = false

  constructor(capacity = defaultCacheBytes) {
    this.#capacity = capacity
    this.#held = new HeldMemory(capacity, (bytes) => this.grew(bytes))
  }

  add(cache: BudgetedCache): void {
    this.#caches.add(cache)
  }

  /** The cache must be empty. */
  remove(cache: BudgetedCache): void {
    this.#caches.delete(cache)
  }

  /** Whether an entry of this size may be cached now. */
  admits(bytes: number, key: string | object): boolean {
    if (this.#isSmall(bytes)) return true
    return bytes <= this.#capacity / 4 && this.#sights.isRepeated(key)
  }

  grew(bytes: number): void {
    this.#bytes += bytes
    this.isTight = this.#bytes > this.#capacity * 0.75
    while (this.#bytes > this.#capacity) {
      const heaviest = this.#heaviest()
      if (heaviest === null) return
      heaviest.dropOldest()
    }
  }

  /** Counts what is in use until its last holder releases it. False: too much is held, and nothing was counted.
   *  `isBounded`: the client can't make it large. */
  hold(what: object, bytes: number, holder: MemoryHolder, isBounded = false): boolean {
    return this.#held.hold(what, bytes, isBounded || this.#isSmall(bytes), holder)
  }

  release(what: object, holder: MemoryHolder): void {
    this.#held.release(what, holder)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The metrics of each name; read after all caches were made. */
  gauges(): Gauge[] {
    const names = [...new Set([...this.#caches].map(({ name }) => name))].sort()
    const sum = (cache: string, member: 'size' | 'bytes' | 'hits' | 'misses') => () =>
      [...this.#caches].reduce((all, one) => (one.name === cache ? all + one[member] : all), 0)
    return [
      ...names.flatMap((cache): Gauge[] => [
        { name: 'cache_entries', cache, kind: 'gauge', about: 'Entries in the cache.', value: sum(cache, 'size') },
        { name: 'cache_bytes', cache, kind: 'gauge', about: cacheBytesHelp, value: sum(cache, 'bytes') },
        {
          name: 'cache_hits_total',
          cache,
          kind: 'counter',
          about: 'Lookups that found an entry.',
          value: sum(cache, 'hits'),
        },
        {
          name: 'cache_misses_total',
          cache,
          kind: 'counter',
          about: 'Lookups that found none.',
          value: sum(cache, 'misses'),
        },
      ]),
      {
        name: 'cache_bytes',
        cache: 'subscriptions',
        kind: 'gauge',
        about: cacheBytesHelp,
        value: () => this.#held.bytes,
      },
    ]
  }

  #isSmall(bytes: number): boolean {
    return bytes <= this.#capacity * largeShare
  }

  #heaviest(): BudgetedCache | null {
    let heaviest: BudgetedCache | null = null
    for (const cache of this.#caches) {
      if (cache.size > 0 && cache.bytes > (heaviest?.bytes ?? 0)) heaviest = cache
    }
    return heaviest
  }
}

export const cacheBytesHelp = 'Estimated memory of the entries, in bytes.'
