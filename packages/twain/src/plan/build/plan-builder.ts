// What a door holds while it translates a request: the slots so far, where each value came from, every mistake found.

import { ApiError, type DetailCode, isEnough, type Problem, validationError } from '#base'
import { fullSight, type Sight } from '../authorize/visibility.ts'
import { checkFit } from '../check/check-parameter.ts'
import { defaultLimits, type Limits } from '../limit/limits.ts'
import type { Fits, Slot } from '../plan.ts'

/** A value of the request that the next request of the same shape may have another of: `again` finds it there.
 *  What `again` is given is the door's own affair. A leaf that is not Sourced is a constant of the shape. */
export class Sourced {
  readonly value: unknown
  readonly again: (request: never) => unknown

  constructor(value: unknown, again: (request: never) => unknown) {
    this.value = value
    this.again = again
  }
}

/** What the leaf is in this request. */
export function now(leaf: unknown): unknown {
  return leaf instanceof Sourced ? leaf.value : leaf
}

/** A leaf made of another, in this request and in the next. */
export function derive(leaf: unknown, make: (value: unknown) => unknown): unknown {
  if (!(leaf instanceof Sourced)) return make(leaf)
  return new Sourced(make(leaf.value), (request) => make(leaf.again(request)))
}

/** Far beyond what a cost of 1000 allows without an interface, and compiled in some 30 ms. */
const mostCases = 1000

export class Draft {
  /** By slot index: Sourced, or a constant. */
  readonly leaves: unknown[] = []
  readonly places: string[] = []
  readonly problems: Problem[] = []
  readonly sight: Sight
  /** How large the filters of the request are so far; the drafts of one request share it. */
  readonly filters: { conditions: number }
  /** Whether the request names a field, in a filter or an order, that its viewer can never read. */
  meetsHidden = false
  /** How many rows the request may make at once, as `limits.transaction` has it; 0 is any number. */
  readonly mostRows: number
  readonly #slots: Slot[] = []
  #cases = 0
  #rows = 0

  constructor(sight: Sight = fullSight, filters = { conditions: 0 }, mostRows = defaultLimits.transaction) {
    this.sight = sight
    this.filters = filters
    this.mostRows = mostRows
  }

  slot(fits: Fits, leaf: unknown, place: string): Slot {
    this.leaves.push(leaf)
    this.places.push(place)
    const slot = { index: this.leaves.length - 1, fits }
    this.#slots.push(slot)
    return slot
  }

  /** One more type whose rows are picked. Behind interfaces and unions these multiply with each level, so it is the plan
   *  itself that must stop growing: depth and cost are judged when it is whole. */
  countCase(): void {
    if (++this.#cases <= mostCases) return
    throw new ApiError('QUERY_TOO_COSTLY', `The query reads more than ${mostCases} kinds of rows.`, {
      hint: 'What is chosen behind an interface or a union counts for each of its types: choose fewer levels of them.',
    })
  }

  /** So many more rows that are made; false when it is too many. */
  countRows(count: number): boolean {
    this.#rows += count
    return this.mostRows === 0 || this.#rows <= this.mostRows
  }

  problem(path: string, code: DetailCode, message: string): void {
    if (!this.isHopeless) this.problems.push({ path, code, message })
  }

  /** So much is wrong that nobody needs to look for more. */
  get isHopeless(): boolean {
    return isEnough(this.problems)
  }

  /** Throws all mistakes at once, if there are any: those of the shape, and then those of the values too. */
  finish(limits: Limits): void {
    if (this.problems.length === 0) return
    for (const { index, fits } of this.#slots) {
      if (this.isHopeless) break
      checkFit(fits, now(this.leaves[index]), this.places[index]!, limits, this.problems)
    }
    throw validationError(this.problems)
  }

  /** The values of this request, by slot index. */
  values(): unknown[] {
    return this.leaves.map(now)
  }
}

/** The values of a later request of the same shape. */
export function valuesAgain(leaves: readonly unknown[], request: unknown): unknown[] {
  return leaves.map((leaf) => (leaf instanceof Sourced ? leaf.again(request as never) : leaf))
}
