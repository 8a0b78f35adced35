// Caches results that are read again before anything is written. The first read of a key only records the key, the second
// one stores the result.
//
// 1. A result belongs to one snapshot of the database (`snapshot.ts`) and is dropped with it: nobody reads what a write has
//    changed.
// 2. Its key is the statement with all its parameters, the viewer among them: nobody reads what another viewer may read.
// 3. Memory is bounded: a full cache starts anew.
// 4. The cache keeps no statement alive that another cache has evicted.

import { CacheBudget } from '#base'
import type { ReadResult } from '../../read/read-result.ts'
import type { SqlValue } from '../../sql/encode.ts'

/** A longer result is not cached. */
const maxResultChars = 65_536
/** The approximate size of an entry beside its characters. */
const entryOverheadChars = 64

/** The results of one statement, by parameters: null after the first read. */
type CachedResults = Map<string, ReadResult | null>

export class ResultCache {
  readonly name = 'results'
  hits = 0
  misses = 0
  readonly #maxChars: number
  readonly #budget: CacheBudget
  #snapshot = -1
  #statements = new WeakMap<object, CachedResults>() // see 4
  #entries = 0
  #size = 0

  /** 0: the cache is off. */
  constructor(maxChars: number, budget = new CacheBudget()) {
    this.#maxChars = maxChars
    this.#budget = budget
    budget.add(this)
  }

  /** The results of a statement in a snapshot; null if nothing is cached. */
  resultsOf(statement: object, snapshot: number | null): CachedResults | null {
    if (snapshot === null || this.#maxChars === 0) return null
    if (snapshot !== this.#snapshot) this.#reset(snapshot)
    const known = this.#statements.get(statement)
    if (known !== undefined) return known
    const made: CachedResults = new Map()
    this.#statements.set(statement, made)
    return made
  }

  add(results: CachedResults, key: string, result: ReadResult): void {
    const isRepeated = results.has(key)
    const size = isRepeated ? (result.text?.length ?? 0) : key.length + entryOverheadChars
    if (size > maxResultChars) return
    if (this.#size + size > this.#maxChars) {
      this.dropOldest()
      return
    }
    results.set(key, isRepeated ? Object.freeze(result) : null)
    if (!isRepeated) this.#entries++
    this.#size += size
    this.#budget.grew(size)
  }

  get size(): number {
    return this.#entries
  }

  get bytes(): number {
    return this.#size
  }

  /** See 3. */
  dropOldest(): void {
    this.#reset(this.#snapshot)
  }

  #reset(snapshot: number): void {
    this.#snapshot = snapshot
    if (this.#size === 0) return
    const dropped = this.#size
    this.#statements = new WeakMap()
    this.#size = 0
    this.#entries = 0
    this.#budget.grew(-dropped)
  }
}

/** Unique for different parameters, since no text holds a NUL. Null if a parameter has no key. */
export function cacheKey(parameters: readonly SqlValue[]): string | null {
  let key = ''
  for (const value of parameters) {
    if (typeof value === 'string') key += `"${value}\0`
    else if (value === null) key += '-\0'
    else if (typeof value === 'object') return null
    else key += `${value}\0`
  }
  return key
}
