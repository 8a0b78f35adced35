// What a door holds while it translates a request: the slots so far, where each value came from, every mistake found.

import { ApiError, type DetailCode, hasEnoughProblems, type Problem, validationError } from '#base'
import { checkParameter } from '../check/check-parameter.ts'
import { defaultLimits, type Limits } from '../limit/limits.ts'
import type { Parameter, ParameterType } from '../plan.ts'
import { fullVisibility, type Visibility } from '../visibility.ts'
import { currentValue } from './request-value.ts'

/** Far beyond what a cost of 1000 allows without an interface, and compiled in some 30 ms. */
const maxTypeCount = 1000

export class PlanBuilder {
  /** By slot index: Sourced, or a constant. */
  readonly requestValues: unknown[] = []
  readonly places: string[] = []
  readonly problems: Problem[] = []
  readonly visibility: Visibility
  /** How large the filters of the request are so far; the drafts of one request share it. */
  readonly filters: { conditions: number }
  /** Whether the request names a field, in a filter or an order, that its viewer can never read. */
  namesHiddenField = false
  /** How many rows the request may make at once, as `limits.transaction` has it; 0 is any number. */
  readonly maxRows: number
  readonly #slots: Parameter[] = []
  #cases = 0
  #rows = 0

  constructor(
    visibility: Visibility = fullVisibility,
    filters = { conditions: 0 },
    mostRows = defaultLimits.transaction,
  ) {
    this.visibility = visibility
    this.filters = filters
    this.maxRows = mostRows
  }

  parameter(fits: ParameterType, leaf: unknown, place: string): Parameter {
    this.requestValues.push(leaf)
    this.places.push(place)
    const parameter = { index: this.requestValues.length - 1, accepts: fits }
    this.#slots.push(parameter)
    return parameter
  }

  /** One more type whose rows are picked. Behind interfaces and unions these multiply with each level, so it is the plan
   *  itself that must stop growing: depth and cost are judged when it is whole. */
  countType(): void {
    if (++this.#cases <= maxTypeCount) return
    throw new ApiError('QUERY_TOO_COSTLY', `The query reads more than ${maxTypeCount} kinds of rows.`, {
      hint: 'What is chosen behind an interface or a union counts for each of its types: choose fewer levels of them.',
    })
  }

  /** So many more rows that are made; false when it is too many. */
  countRows(count: number): boolean {
    this.#rows += count
    return this.maxRows === 0 || this.#rows <= this.maxRows
  }

  problem(path: string, code: DetailCode, message: string): void {
    if (!this.hasEnoughProblems) this.problems.push({ path, code, message })
  }

  /** So much is wrong that nobody needs to look for more. */
  get hasEnoughProblems(): boolean {
    return hasEnoughProblems(this.problems)
  }

  /** Throws all mistakes at once, if there are any: those of the shape, and then those of the values too. */
  finish(limits: Limits): void {
    if (this.problems.length === 0) return
    for (const { index, accepts } of this.#slots) {
      if (this.hasEnoughProblems) break
      checkParameter(accepts, currentValue(this.requestValues[index]), this.places[index]!, limits, this.problems)
    }
    throw validationError(this.problems)
  }

  /** The values of this request, by slot index. */
  values(): unknown[] {
    return this.requestValues.map(currentValue)
  }
}
