// The road through objects: where own code answers something of a plan, the store's answer is parsed once, the code's answers
// are put in, and it is text again. What asks for nothing of the kind never comes here.

import { asApiError, type IdempotencyKey, type MaybePromise, type Viewer } from '#base'
import type { Model } from '#model'
import {
  type BoundPlan,
  type CodeFailure,
  type CustomCall,
  type CustomCallResult,
  check,
  failureMarker,
  type Limits,
  type Plan,
  type PlanResult,
  type SubscriptionPlan,
} from '#plan'
import { idKey, usesCustomCode } from '#plan/build'
import type { ChangeEvent, ViewerAccount } from '#store'
import type { ExecuteOptions } from '../contract.ts'
import type { CustomCode } from '../custom-code.ts'
import { complete, Misplaced } from './complete.ts'
import { argumentsOf, type Computing, compute, type NamedRows, type Row, type Sheet } from './compute.ts'
import { idsIn, placeRows } from './named-rows.ts'

type Run = (
  boundPlan: BoundPlan,
  values: unknown[],
  viewer: Viewer,
  options: ExecuteOptions,
) => MaybePromise<PlanResult>

/** Whether the contract has anything that own code answers. */
export function hasOwn({ resources, operations }: Model): boolean {
  return operations.length > 0 || resources.some(({ computed }) => computed.size > 0)
}

/** Rows that are read together, where no limit says how many a page has. */
const mostTogether = 500

export class OwnAnswers {
  readonly #limits: Limits
  readonly #code: CustomCode
  readonly #run: Run
  readonly #asked = new WeakMap<object, boolean>()

  /** `run` is the corridor from where the values are checked. */
  constructor(limits: Limits, code: CustomCode | undefined, run: Run) {
    if (code === undefined) throw new Error('a contract with computed fields needs the code that answers them')
    this.#limits = limits
    this.#code = code
    this.#run = run
  }

  isAsked(plan: Plan): boolean {
    const shape = plan.kind === 'write' ? plan.answer : plan
    const known = this.#asked.get(shape)
    if (known !== undefined) return known
    const is = usesCustomCode(plan)
    this.#asked.set(shape, is)
    return is
  }

  async answer(boundPlan: BoundPlan, values: unknown[], viewer: Viewer, options: ExecuteOptions): Promise<PlanResult> {
    const stored = await this.#run(boundPlan, values, viewer, options)
    const sheets = sheetsOf(boundPlan.plan, stored)
    const failures: CodeFailure[] = []
    await compute(sheets, this.#computing(boundPlan, values, viewer, failures))
    return withTrees(stored, sheets, failures)
  }

  /** `once`: what it writes is written once, however often it is called with this. */
  async call(
    boundPlan: BoundPlan<CustomCall>,
    values: readonly unknown[],
    viewer: Viewer,
    once: IdempotencyKey | null,
  ): Promise<CustomCallResult> {
    const { operation, args, result } = boundPlan.plan
    const failures: CodeFailure[] = []
    const fail = (error: unknown, inside: CodeFailure['inside']) => {
      failures.push({ field: operation, error: asApiError(error), isWhole: false, inside })
      return failureMarker.write(failures.length - 1)
    }
    try {
      const value = await this.#code.call(operation, argumentsOf(args, values), viewer, once)
      const { type, required } = operation
      const named = result.kind === 'rows' ? await this.#named(result, idsIn(value), boundPlan, viewer, failures) : null
      const tree =
        type.kind === 'stored'
          ? complete(type.type, required, value, result.kind === 'value' ? result.selections : null, fail)
          : placeRows(value, type.kind === 'rows', required, named!)
      const text = JSON.stringify(tree)
      return failures.length === 0 ? { text } : { text, failures }
    } catch (error) {
      throw asApiError(error instanceof Misplaced ? error.cause : error)
    }
  }

  isWatched(plan: SubscriptionPlan): boolean {
    return usesCustomCode(plan)
  }

  /** The same for what is told of changes, put in the place of what the store told. Viewers who are told the same by the store
   *  may be told otherwise by code, which is asked once for each of them, about all changes together. */
  async tell(
    boundPlan: BoundPlan<SubscriptionPlan>,
    values: readonly unknown[],
    tellings: readonly (ChangeEvent | null)[][],
    accounts: readonly ViewerAccount[],
    viewer: Viewer,
  ): Promise<void> {
    const { selections } = boundPlan.plan
    for (const [index, account] of accounts.entries()) {
      const shown = tellings.flatMap((one) => (one[index]?.text ? [{ one, told: one[index] }] : []))
      const sheets = shown.map(({ told: { text } }) => ({ pick: selections, tree: JSON.parse(text!) as unknown }))
      const failures: CodeFailure[] = []
      await compute(sheets, this.#computing(boundPlan, values, { ...viewer, account }, failures))
      for (const [place, { one, told }] of shown.entries()) {
        const text = JSON.stringify(sheets[place]!.tree)
        one[index] = failures.length === 0 ? { ...told, text } : { ...told, text, failures }
      }
    }
  }

  #computing(
    boundPlan: BoundPlan | BoundPlan<SubscriptionPlan>,
    values: readonly unknown[],
    viewer: Viewer,
    failures: CodeFailure[],
  ): Computing {
    const rows = (result: NamedRows, ids: readonly string[]) => this.#named(result, ids, boundPlan, viewer, failures)
    const isOfChanges = boundPlan.plan.kind === 'subscription'
    return { code: this.#code, viewer, values, failures, isOfChanges, rows }
  }

  /** The rows that own code named: read through the corridor, as the viewer may see them, and computed in their turn. */
  async #named(
    { read, ids: parameter }: NamedRows,
    ids: readonly string[],
    { values, places }: Pick<BoundPlan, 'values' | 'places'>,
    viewer: Viewer,
    failures: CodeFailure[],
  ): Promise<ReadonlyMap<string, unknown>> {
    const found = new Map<string, unknown>()
    const size = this.#limits.page === 0 ? mostTogether : this.#limits.page
    if (read.page.kind !== 'offset') throw new Error('named rows are a page by number')
    const { limit, offset } = read.page
    for (let start = 0; start < ids.length; start += size) {
      const filled = [...values]
      filled[parameter.index] = ids.slice(start, start + size)
      filled[limit.index] = size
      filled[offset.index] = 0
      const boundPlan: BoundPlan = { plan: read, values: filled, places }
      const checked = check(boundPlan, this.#limits)
      const sheets = sheetsOf(read, await this.#run(boundPlan, checked, viewer, { whole: true }))
      const rows = (sheets[0]!.tree as Row[]).map((row) => [row[idKey] as string, row] as const)
      await compute(sheets, this.#computing(boundPlan, checked, viewer, failures))
      for (const [id, row] of rows) found.set(id, row)
    }
    return found
  }
}

/** The trees of an answer, in the order of its texts. */
function sheetsOf(plan: Plan, answer: PlanResult): Sheet[] {
  if (answer.kind === 'deleted') return []
  if (answer.kind === 'batch') return answer.answers.flatMap((one) => sheetsOf(plan, one))
  const tree: unknown = answer.text === null ? null : JSON.parse(answer.text)
  switch (plan.kind) {
    case 'one':
      return [{ pick: plan.selections, tree }]
    case 'many':
      return [{ read: plan, tree }]
    case 'write':
      return [{ pick: plan.answer, tree }]
    case 'batch':
      return [{ pick: plan.writes[0]?.answer ?? [], tree }]
  }
}

function withTrees(answer: PlanResult, sheets: readonly Sheet[], failures: readonly CodeFailure[]): PlanResult {
  const texts = sheets.map(({ tree }) => JSON.stringify(tree))
  let next = 0
  return told(answer)

  function told(one: PlanResult): PlanResult {
    if (one.kind === 'deleted') return one
    if (one.kind === 'batch') return { ...one, answers: one.answers.map(told) }
    const text = texts[next++]!
    if (one.kind === 'one' && one.text === null) return one
    return failures.length === 0 ? { ...one, text } : { ...one, text, failures }
  }
}
