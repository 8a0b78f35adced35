// What an adapter builds plans with: it collects the parameters, the place of each value, and every mistake of the request.

import { ApiError, type DetailCode, hasEnoughProblems, type Problem, validationError } from '#base'
import {
  type Argument,
  type ComputedField,
  type CustomOperation,
  type Resource,
  type StateField,
  transitionFieldOf,
  transitionsName,
} from '#model'
import { itemNamed, type Named } from '#model/names'
import { checkParameter } from '../check/check-parameter.ts'
import { defaultLimits, type Limits } from '../limit/limits.ts'
import type { BoundPlan, CustomCall, DeprecatedNames, Parameter, ParameterType } from '../plan.ts'
import { fullVisibility, type Visibility } from '../visibility.ts'
import { argumentPath, mayBeDeprecated, memberAlias, typeAlias } from './deprecated-names.ts'
import { currentValue } from './request-value.ts'
import type { UnboundValues } from './unbound-plan.ts'

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
  /** Null, as in most requests: the request can use nothing of that kind. */
  #deprecated: CollectedNames | null = null
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
    if (mayBeDeprecated(accepts)) this.#collected().parameters.push(parameter)
    return parameter
  }

  /** The value of an argument of custom code. */
  argument(argument: Argument, of: ComputedField | CustomOperation, leaf: unknown, place: string): Parameter {
    const parameter = this.parameter({ kind: 'argument', argument }, leaf, place)
    if (argument.deprecated !== null)
      this.#collected().args.push({ index: parameter.index, path: argumentPath(of, argument) })
    return parameter
  }

  /** The field that the request calls by this name. `of`: the type that the request names. */
  fieldNamed<F extends Named>(name: string, fields: ReadonlyMap<string, F>, of: { name: string }): F | undefined {
    const field = fields.get(name)
    if (field !== undefined) this.noteName(name, field, of)
    return field
  }

  /** The state field whose transitions the request calls by this name. */
  transitionsNamed(name: string, of: Resource): StateField | undefined {
    const field = transitionFieldOf(of, name)
    if (field !== undefined && name !== transitionsName(field)) this.#noteAlias(memberAlias(of, field.alias))
    return field
  }

  typeNamed<Type extends Named>(name: unknown, types: readonly Type[]): Type | undefined {
    const type = itemNamed(types, name)
    if (type !== undefined && type.name !== name) this.noteTypeAlias(type)
    return type
  }

  noteName(name: string, field: Named, of: { name: string }): void {
    if (field.name !== name) this.#noteAlias(memberAlias(of, name))
  }

  noteTypeAlias(of: { name: string }): void {
    this.#noteAlias(typeAlias(of))
  }

  #noteAlias(alias: string): void {
    const { names } = this.#collected()
    if (!names.includes(alias)) names.push(alias)
  }

  #collected(): CollectedNames {
    this.#deprecated ??= { names: [], parameters: [], args: [] }
    return this.#deprecated
  }

  /** What was collected so far. */
  unbound(): UnboundValues {
    return { requestValues: [...this.requestValues], places: [...this.places], deprecated: copyOf(this.#deprecated) }
  }

  /** Adds a part of the request that another builder has planned, with its values in this request. It comes first: its
   *  parameters keep their indexes. */
  addPlanned({ places, deprecated }: UnboundValues, values: readonly unknown[]): void {
    this.requestValues.push(...values)
    this.places.push(...places)
    this.#deprecated = copyOf(deprecated) ?? null
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
    const { places } = this
    const deprecated = this.#deprecated
    return deprecated === null ? { plan, values, places } : { plan, values, places, deprecated }
  }

  /** The values of this request, by parameter index. */
  values(): unknown[] {
    return this.requestValues.map(currentValue)
  }
}

interface CollectedNames {
  names: string[]
  parameters: Parameter[]
  args: { index: number; path: string }[]
}

function copyOf(found: DeprecatedNames | null | undefined): CollectedNames | undefined {
  return found ? { names: [...found.names], parameters: [...found.parameters], args: [...found.args] } : undefined
}
