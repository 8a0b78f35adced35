// Runs plans that select computed fields, and custom operations. It parses the store's result once, puts in the values of the
// custom code, and prints it again. Plans without computed fields never come here.

import { asApiError, type MaybePromise } from '#base'
import type { IdempotencyKey, Viewer } from '#base/http'
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
import type { ExecuteOptions } from '../execute-options.ts'
import { CompletionError, complete } from './complete.ts'
import {
  argumentsOf,
  type ComputeContext,
  compute,
  type NamedRows,
  type ResultRow,
  type ResultTree,
} from './compute.ts'
import type { CodeValues, CustomCode } from './custom-code.ts'
import { idsIn, placeRows } from './named-rows.ts'

type RunPlan = (
  boundPlan: BoundPlan,
  values: unknown[],
  viewer: Viewer,
  options: ExecuteOptions,
) => MaybePromise<PlanResult>

/** A custom subscription that was checked, authorized and limited. */
export interface CustomStream extends CodeValues {
  /** A value as the viewer may see it now. Rejects if it is not of its type. */
  complete(value: unknown): Promise<CustomCallResult>
}

/** Whether the model has a custom operation or a computed field. */
export function hasCustomCode({ resources, operations }: Model): boolean {
  return operations.length > 0 || resources.some(({ computed }) => computed.size > 0)
}

/** Rows in one read, if `limits.page` is off. */
const maxRowsPerRead = 500

export class CustomCodeRunner {
  readonly #limits: Limits
  readonly #code: CustomCode
  readonly #run: RunPlan
  readonly #usesCode = new WeakMap<object, boolean>()

  /** `run` is the pipeline of the engine after its check. */
  constructor(limits: Limits, code: CustomCode | undefined, run: RunPlan) {
    if (code === undefined) throw new Error('a model with computed fields or custom operations needs custom code')
    this.#limits = limits
    this.#code = code
    this.#run = run
  }

  isUsedBy(plan: Plan | SubscriptionPlan): boolean {
    const shape = plan.kind === 'write' ? plan.answer : plan
    const known = this.#usesCode.get(shape)
    if (known !== undefined) return known
    const uses = usesCustomCode(plan)
    this.#usesCode.set(shape, uses)
    return uses
  }

  async run(boundPlan: BoundPlan, values: unknown[], viewer: Viewer, options: ExecuteOptions): Promise<PlanResult> {
    const stored = await this.#run(boundPlan, values, viewer, options)
    const trees = treesOf(boundPlan.plan, stored)
    const failures: CodeFailure[] = []
    await compute(trees, this.#context(boundPlan, values, viewer, failures))
    return withTrees(stored, trees, failures)
  }

  /** With a key, each write of the code is idempotent. */
  async call(
    boundPlan: BoundPlan<CustomCall>,
    values: readonly unknown[],
    viewer: Viewer,
    idempotencyKey: IdempotencyKey | null,
  ): Promise<CustomCallResult> {
    const { operation, args } = boundPlan.plan
    const value = await this.#code.call(operation, argumentsOf(args, values), viewer, idempotencyKey).catch((error) => {
      throw asApiError(error)
    })
    return this.#complete(value, boundPlan, viewer)
  }

  /** Starts a custom subscription. */
  async stream(boundPlan: BoundPlan<CustomCall>, values: readonly unknown[], viewer: Viewer): Promise<CustomStream> {
    const { operation, args } = boundPlan.plan
    const source = await this.#code.subscribe(operation, argumentsOf(args, values), viewer)
    return {
      next: () => source.next(),
      stop: () => source.stop(),
      complete: (value) => this.#complete(value, boundPlan, viewer),
    }
  }

  /** What the viewer gets of a value of the code: checked against its type, with the rows that it names. */
  async #complete(value: unknown, boundPlan: BoundPlan<CustomCall>, viewer: Viewer): Promise<CustomCallResult> {
    const { operation, result } = boundPlan.plan
    const failures: CodeFailure[] = []
    const fail = (error: unknown, inside: CodeFailure['inside']) => {
      failures.push({ field: operation, error: asApiError(error), isWhole: false, inside })
      return failureMarker.write(failures.length - 1)
    }
    try {
      const { type, required } = operation
      const named = result.kind === 'rows' ? await this.#named(result, idsIn(value), boundPlan, viewer, failures) : null
      const tree =
        type.kind === 'stored'
          ? complete(type.type, required, value, result.kind === 'value' ? result.selections : null, fail)
          : placeRows(value, type.kind === 'rows', required, named!)
      const text = JSON.stringify(tree)
      return failures.length === 0 ? { text } : { text, failures }
    } catch (error) {
      throw asApiError(error instanceof CompletionError ? error.cause : error)
    }
  }

  /** Computes the fields of events, and replaces the events in place. Viewers who get equal events from the store may get
   *  different values from the code: the code is called once for each viewer, with all changes together. */
  async completeEvents(
    boundPlan: BoundPlan<SubscriptionPlan>,
    values: readonly unknown[],
    events: readonly (ChangeEvent | null)[][],
    accounts: readonly ViewerAccount[],
    viewer: Viewer,
  ): Promise<void> {
    const { selections } = boundPlan.plan
    for (const [index, account] of accounts.entries()) {
      const shown = events.flatMap((viewers) => (viewers[index]?.text ? [{ viewers, event: viewers[index] }] : []))
      const trees = shown.map(({ event: { text } }) => ({ selections, tree: JSON.parse(text!) as unknown }))
      const failures: CodeFailure[] = []
      await compute(trees, this.#context(boundPlan, values, { ...viewer, account }, failures))
      for (const [position, { viewers, event }] of shown.entries()) {
        const text = JSON.stringify(trees[position]!.tree)
        viewers[index] = failures.length === 0 ? { ...event, text } : { ...event, text, failures }
      }
    }
  }

  #context(
    boundPlan: BoundPlan | BoundPlan<SubscriptionPlan>,
    values: readonly unknown[],
    viewer: Viewer,
    failures: CodeFailure[],
  ): ComputeContext {
    const rows = (result: NamedRows, ids: readonly string[]) => this.#named(result, ids, boundPlan, viewer, failures)
    const isOfEvents = boundPlan.plan.kind === 'subscription'
    return { code: this.#code, viewer, values, failures, isOfEvents, rows }
  }

  /** Reads the rows that custom code named by their ids, through the pipeline: as the viewer may see them, computed too. */
  async #named(
    { read, ids: parameter }: NamedRows,
    ids: readonly string[],
    { values, places }: Pick<BoundPlan, 'values' | 'places'>,
    viewer: Viewer,
    failures: CodeFailure[],
  ): Promise<ReadonlyMap<string, unknown>> {
    const found = new Map<string, unknown>()
    const size = this.#limits.page === 0 ? maxRowsPerRead : this.#limits.page
    if (read.page.kind !== 'offset') throw new Error('named rows are read as a page by offset')
    const { limit, offset } = read.page
    for (let start = 0; start < ids.length; start += size) {
      const filled = [...values]
      filled[parameter.index] = ids.slice(start, start + size)
      filled[limit.index] = size
      filled[offset.index] = 0
      const boundPlan: BoundPlan = { plan: read, values: filled, places }
      const checked = check(boundPlan, this.#limits)
      const trees = treesOf(read, await this.#run(boundPlan, checked, viewer, { isDefaultSelection: true }))
      const rows = (trees[0]!.tree as ResultRow[]).map((row) => [row[idKey] as string, row] as const)
      await compute(trees, this.#context(boundPlan, checked, viewer, failures))
      for (const [id, row] of rows) found.set(id, row)
    }
    return found
  }
}

/** The parsed texts of a result, in their order. */
function treesOf(plan: Plan, result: PlanResult): ResultTree[] {
  if (result.kind === 'deleted' || result.kind === 'bulk') return []
  if (result.kind === 'batch') return result.answers.flatMap((one) => treesOf(plan, one))
  const tree: unknown = result.text === null ? null : JSON.parse(result.text)
  switch (plan.kind) {
    case 'one':
      return [{ selections: plan.selections, tree }]
    case 'many':
      return [{ read: plan, tree }]
    case 'groups':
    case 'bulk':
      return []
    case 'write':
      return [{ selections: plan.answer, tree }]
    case 'batch':
      return [{ selections: plan.writes[0]?.answer ?? [], tree }]
  }
}

function withTrees(result: PlanResult, trees: readonly ResultTree[], failures: readonly CodeFailure[]): PlanResult {
  const texts = trees.map(({ tree }) => JSON.stringify(tree))
  let next = 0
  return withText(result)

  function withText(one: PlanResult): PlanResult {
    if (one.kind === 'deleted' || one.kind === 'bulk') return one
    if (one.kind === 'batch') return { ...one, answers: one.answers.map(withText) }
    const text = texts[next++]!
    if (one.kind === 'one' && one.text === null) return one
    return failures.length === 0 ? { ...one, text } : { ...one, text, failures }
  }
}
