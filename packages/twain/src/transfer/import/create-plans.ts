// The plans of the rows that an import creates. Rows with the same columns have the same plan, each with its own values: it is
// built, checked for its shape, and authorized once.

import type { TransactionPart } from '#engine'
import type { KeyField, Resource } from '#model'
import { isSetField, type Limits, type Selection, type WritePlan } from '#plan'
import { type PlanBuilder, planInput, planMerge } from '#plan/build'

type PlannedPart = ReturnType<TransactionPart['plan']>

/** A plan, and the column that each of its values comes from. */
interface PlanOfColumns {
  plan: WritePlan
  columns: readonly string[]
}

export class CreatePlans {
  readonly #of: Resource
  readonly #key: readonly KeyField[] | null
  readonly #answer: Selection[]
  readonly #newBuilder: () => PlanBuilder
  readonly #limits: Limits
  readonly #plans = new Map<string, PlanOfColumns>()

  /** `onConflict`: the fields of the unique key by which a row that is there is changed instead. */
  constructor(
    of: Resource,
    onConflict: readonly string[] | undefined,
    answer: Selection[],
    newBuilder: () => PlanBuilder,
    limits: Limits,
  ) {
    this.#of = of
    this.#key = onConflict?.map((name) => of.fields.get(name) as KeyField) ?? null
    this.#answer = answer
    this.#newBuilder = newBuilder
    this.#limits = limits
  }

  /** Throws an ApiError with all mistakes of the row. */
  plan(input: Readonly<Record<string, unknown>>): PlannedPart {
    const names = JSON.stringify(Object.keys(input))
    const known = this.#plans.get(names)
    if (known === undefined) return this.#build(input, names)
    const { plan, columns } = known
    const values = columns.map((name) => input[name])
    // A key that is null is a mistake of its own.
    if (plan.key?.some(({ parameter }) => values[parameter.index] === null) === true) return this.#build(input, names)
    return { boundPlan: { plan, values, places: columns }, isDefaultSelection: true }
  }

  #build(input: Readonly<Record<string, unknown>>, names: string): PlannedPart {
    const builder = this.#newBuilder()
    const plan = this.#planRow(input, builder)
    builder.finish(this.#limits)
    const boundPlan = builder.bind(plan)
    const { values, places } = boundPlan
    // The shape of nested rows is that of their values.
    const isOfColumns = plan.set.every(isSetField) && places.every((name, index) => values[index] === input[name])
    if (isOfColumns) this.#plans.set(names, { plan, columns: places })
    return { boundPlan, isDefaultSelection: true }
  }

  #planRow(input: Readonly<Record<string, unknown>>, builder: PlanBuilder): WritePlan {
    const of = this.#of
    const answer = this.#answer
    if (this.#key !== null) return planMerge({ input, place: '' }, this.#key, 'merge', of, answer, builder)
    const set = planInput(input, of, 'create', builder, '', false)
    return { kind: 'write', action: 'create', of, id: null, set, ifVersion: null, answer }
  }
}
