// Which types are of which interface or union. Where the options do not tell, it is learned from answers: a server gives the
// fields of `... on Named` to the objects of that type alone.

import type { TypeMatcher } from '../document/selection.ts'

export type PossibleTypes = Readonly<Record<string, readonly string[]>>

export class Types implements TypeMatcher {
  readonly #told: PossibleTypes
  readonly #isToldAll: boolean
  readonly #learned = new Map<string, boolean>()

  constructor(told: PossibleTypes) {
    this.#told = told
    this.#isToldAll = Object.keys(told).length > 0
  }

  matches(condition: string, type: string): boolean | undefined {
    if (this.#isToldAll) return this.#told[condition]?.includes(type) ?? false
    return this.#learned.get(`${condition} ${type}`)
  }

  learn(condition: string, type: string, matches: boolean): void {
    this.#learned.set(`${condition} ${type}`, matches)
  }
}
