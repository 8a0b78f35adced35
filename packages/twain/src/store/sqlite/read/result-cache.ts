// Answers that are asked for again before anything is written. SQLite would make the same text from the same rows; here it is
// there already. What is asked once is not kept: the first time only the question is noted.
//
// 1. An answer counts for one sight of the database (`snapshot.ts`), and goes with it: nobody reads what a write has changed.
// 2. It is of a statement and all its parameters, the viewer among them: nobody reads what another may.
// 3. Memory is bounded: when it is full, it begins anew.

import type { ReadResult } from '../../read/to-result.ts'
import type { SqlValue } from '../../sql/encode.ts'

/** Characters of an answer that is worth its place. */
const longest = 65_536
/** What a question takes beside its characters, or about. */
const entry = 64

/** Of one statement, by its parameters: null where it was asked once. */
type Answers = Map<string, ReadResult | null>

export class KeptAnswers {
  readonly #most: number
  #sight = -1
  #statements = new Map<object, Answers>()
  #size = 0

  /** `most` characters are kept; 0: nothing is. */
  constructor(most: number) {
    this.#most = most
  }

  /** Those of a statement as of a sight; null where none are kept. */
  of(statement: object, visibility: number | null): Answers | null {
    if (visibility === null || this.#most === 0) return null
    if (visibility !== this.#sight) this.#begin(visibility)
    const known = this.#statements.get(statement)
    if (known !== undefined) return known
    const made: Answers = new Map()
    this.#statements.set(statement, made)
    return made
  }

  keep(answers: Answers, key: string, answer: ReadResult): void {
    const isAgain = answers.has(key)
    const size = isAgain ? (answer.text?.length ?? 0) : key.length + entry
    if (size > longest) return
    this.#size += size
    if (this.#size > this.#most) {
      this.#begin(this.#sight)
      return
    }
    answers.set(key, isAgain ? Object.freeze(answer) : null)
  }

  #begin(visibility: number): void {
    this.#sight = visibility
    this.#size = 0
    if (this.#statements.size > 0) this.#statements = new Map()
  }
}

/** Different for different parameters: no text holds a NUL. Null where some can't be told so. */
export function keyOf(parameters: readonly SqlValue[]): string | null {
  let key = ''
  for (const value of parameters) {
    if (typeof value === 'string') key += `"${value}\0`
    else if (value === null) key += '-\0'
    else if (typeof value === 'object') return null
    else key += `${value}\0`
  }
  return key
}
