// Maps interfaces and unions to their types. Without the option it learns them from responses: a server returns the fields
// of `... on Named` only for objects of that type.

import type { TypeMatcher } from '../document/selection.ts'

export type PossibleTypes = Readonly<Record<string, readonly string[]>>

export class Types implements TypeMatcher {
  readonly #possible: PossibleTypes
  readonly #isComplete: boolean
  readonly #learned = new Map<string, boolean>()

  constructor(possible: PossibleTypes) {
    this.#possible = possible
    this.#isComplete = Object.keys(possible).length > 0
  }

  matches(condition: string, type: string): boolean | undefined {
    if (this.#isComplete) return this.#possible[condition]?.includes(type) ?? false
    return this.#learned.get(`${condition} ${type}`)
  }

  learn(condition: string, type: string, matches: boolean): void {
    this.#learned.set(`${condition} ${type}`, matches)
  }
}
