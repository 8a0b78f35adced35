// Answers that are asked for again before anything is written. SQLite would make the same text from the same rows; here it is
// there already. What is asked once is not kept: the first time only the question is noted.
//
// 1. An answer counts for one sight of the database (`snapshot.ts`), and goes with it: nobody reads what a write has changed.
// 2. It is of a statement and all its parameters, the viewer among them: nobody reads what another may.
// 3. Memory is bounded: when it is full, it begins anew.

import type { ReadResult } from '../../read/to-result.ts'
import type { SqlValue } from '../../sql/encode.ts'

/** Characters of an answer that is worth its place. */
const maxResultChars = 65_536
/** What a question takes beside its characters, or about. */
const entryOverheadChars = 64

/** Of one statement, by its parameters: null where it was asked once. */
type CachedResults = Map<string, ReadResult | null>

export class ResultCache {
  readonly #maxChars: number
  #snapshot = -1
  #statements = new Map<object, CachedResults>()
  #size = 0

  /** `most` characters are kept; 0: nothing is. */
  constructor(most: number) {
    this.#maxChars = most
  }

  /** Those of a statement as of a sight; null where none are kept. */
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
    this.#size += size
    if (this.#size > this.#maxChars) {
      this.#reset(this.#snapshot)
      return
    }
    results.set(key, isRepeated ? Object.freeze(result) : null)
  }

  #reset(snapshot: number): void {
    this.#snapshot = snapshot
    this.#size = 0
    if (this.#statements.size > 0) this.#statements = new Map()
  }
}

/** Different for different parameters: no text holds a NUL. Null where some can't be told so. */
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
