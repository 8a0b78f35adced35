// What an adapter builds plans with: it collects the parameters, the place of each value, and every mistake of the request.

import { ApiError, type DetailCode, hasEnoughProblems, type Problem, validationError } from '#base'
import { checkParameter } from '../check/check-parameter.ts'
import { defaultLimits, type Limits } from '../limit/limits.ts'
import type { BoundPlan, CustomCall, FormerNames, Parameter, ParameterType } from '../plan.ts'
import { fullVisibility, type Visibility } from '../visibility.ts'
import { mayHaveFormerName } from './former-names.ts'
import { currentValue } from './request-value.ts'

/** Far more than a cost of 1000 allows without an interface; compiles in about 30 ms. */
const maxTypeCount = 1000

export class PlanBuilder {
  /** By parameter index: a RequestValue, or a constant. */
  readonly requestValues: unknown[] = []
  readonly places: string[] = []
  readonly problems: Problem[] = []
  readonly visibility: Visibility
  /** The size of the filters so far; the builders of one request share it. */
  readonly filters: { conditions: number }
  /** Whether a filter or an order names a field that the viewer can never read. */
  namesHiddenField = false
  /** How many rows the request may create (`limits.transaction`); 0: any number. */
  readonly maxRows: number
  readonly #parameters: Parameter[] = []
  #formerNames: string[] | null = null
  #renamedParameters: Parameter[] | null = null
  #types = 0
  #rows = 0

  constructor(
    visibility: Visibility = fullVisibility,
    filters = { conditions: 0 },
    maxRows = defaultLimits.transaction,
  ) {
    this.visibility = visibility
    this.filters = filters
    this.maxRows = maxRows
  }

  parameter(accepts: ParameterType, leaf: unknown, place: string): Parameter {
    this.requestValues.push(leaf)
    this.places.push(place)
    const parameter = { index: this.requestValues.length - 1, accepts }
    this.#parameters.push(parameter)
    if (mayHaveFormerName(accepts)) this.#addRenamed(parameter)
    return parameter
  }

  /** Notes the name by which the request calls a field, if it is the previous one. */
  noteName(of: { name: string }, field: { name: string }, used: string): void {
    if (field.name !== used) this.noteFormerName(`${of.name}.${used}`)
  }

  noteFormerName(path: string): void {
    this.#formerNames ??= []
    if (!this.#formerNames.includes(path)) this.#formerNames.push(path)
  }

  /** Undefined: the request uses the present names only. */
  get formerNames(): FormerNames | undefined {
    if (this.#formerNames === null && this.#renamedParameters === null) return undefined
    return { names: this.#formerNames ?? [], parameters: this.#renamedParameters ?? [] }
  }

  /** For a part of the request that another builder has planned before. */
  addFormerNames(planned: FormerNames | undefined): void {
    if (planned === undefined) return
    for (const name of planned.names) this.noteFormerName(name)
    for (const parameter of planned.parameters) this.#addRenamed(parameter)
  }

  #addRenamed(parameter: Parameter): void {
    this.#renamedParameters ??= []
    this.#renamedParameters.push(parameter)
  }

  /** Counts one more type that rows are selected of. Below interfaces and unions they multiply with each level. So the plan must
   *  stop growing here: depth and cost are limited only once it is complete. */
  countType(): void {
    if (++this.#types <= maxTypeCount) return
    throw new ApiError('QUERY_TOO_COSTLY', `The query reads more than ${maxTypeCount} types of rows.`, {
      hint: 'A selection below an interface or a union counts for each of its types: nest fewer of them.',
    })
  }

  /** Counts rows to create; false: there are too many. */
  countRows(count: number): boolean {
    this.#rows += count
    return this.maxRows === 0 || this.#rows <= this.maxRows
  }

  problem(path: string, code: DetailCode, message: string): void {
    if (!this.hasEnoughProblems) this.problems.push({ path, code, message })
  }

  /** Whether so many problems were found that looking for more is useless. */
  get hasEnoughProblems(): boolean {
    return hasEnoughProblems(this.problems)
  }

  /** Throws all problems at once, if there are any: those of the shape, and then those of the values. */
  finish(limits: Limits): void {
    if (this.problems.length === 0) return
    for (const { index, accepts } of this.#parameters) {
      if (this.hasEnoughProblems) break
      checkParameter(accepts, currentValue(this.requestValues[index]), this.places[index]!, limits, this.problems)
    }
    throw validationError(this.problems)
  }

  /** The plan with the values of this request. */
  bind<P extends BoundPlan['plan'] | CustomCall>(plan: P, values: unknown[] = this.values()): BoundPlan<P> {
    const { formerNames, places } = this
    return formerNames === undefined ? { plan, values, places } : { plan, values, places, formerNames }
  }

  /** The values of this request, by parameter index. */
  values(): unknown[] {
    return this.requestValues.map(currentValue)
  }
}
