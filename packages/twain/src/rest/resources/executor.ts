// From a question of this door to the engine and back. What a request names is noted before it is executed: it is used,
// whatever comes of it. What own code failed with is taken out of the answer, and told beside it.

import { andThen, type HttpReply, type HttpRequest, type MaybePromise, type Viewer } from '#base'
import { clientOf, type Engine, type ExecuteOptions } from '#engine'
import type { BoundPlan, PlanResult } from '#plan'
import type { AnyPlan } from '#plan/explain'
import { DeprecationHeaders } from '../represent/deprecation-headers.ts'
import {
  addFailureHeaders,
  failuresOf,
  printFailures,
  type ReportCodeError,
  withoutFailedFields,
} from '../represent/failed-fields.ts'
import type { ParsedRequest } from '../request/parsed-request.ts'

/** Told of each plan that a request was understood as, before it is executed; `isDefaultSelection`: nobody chose what is answered. */
export type RecordUsage = (request: HttpRequest, plan: AnyPlan, isDefaultSelection: boolean) => void

export class Executor {
  readonly #engine: Engine
  readonly #onError: ReportCodeError | null
  /** Whether own code answers anything: elsewhere nobody looks for what it failed with. */
  readonly #hasComputedFields: boolean
  /** What own code failed with while a request was answered, as the header says it. */
  readonly #failures = new WeakMap<HttpRequest, string>()
  /** Null where the contract deprecates nothing. */
  readonly #deprecations: DeprecationHeaders | null

  constructor(engine: Engine, onError: ReportCodeError | null) {
    this.#engine = engine
    this.#onError = onError
    this.#deprecations = engine.deprecations && new DeprecationHeaders(engine.deprecations)
    this.#hasComputedFields = engine.model.resources.some(({ computed }) => computed.size > 0)
  }

  execute(
    request: HttpRequest,
    boundPlan: BoundPlan,
    viewer: Viewer,
    options?: ExecuteOptions,
  ): MaybePromise<PlanResult> {
    const stages = request.context?.stages ?? null
    this.recordUsage(request, boundPlan.plan, options?.isDefaultSelection === true)
    if (stages === null) return this.withoutFailures(request, this.#engine.execute(boundPlan, viewer, options))
    stages.mark('plan')
    return andThen(this.#engine.execute(boundPlan, viewer, options), (answer) => {
      stages.mark('store')
      return this.withoutFailures(request, answer)
    })
  }

  /** By who asks the engine himself. */
  recordUsage(request: HttpRequest, plan: AnyPlan, isDefaultSelection: boolean): void {
    this.#engine.usage.count(plan, clientOf(request.headers), isDefaultSelection)
    this.#deprecations?.record(request, plan)
  }

  /** As above. Without what own code failed with. */
  withoutFailures(request: HttpRequest, answer: MaybePromise<PlanResult>): MaybePromise<PlanResult> {
    if (!this.#hasComputedFields) return answer
    return andThen(answer, (found) => {
      const failures = failuresOf(found)
      if (failures.length === 0) return found
      this.#failures.set(request, printFailures(failures, this.#onError, request.context?.id))
      return withoutFailedFields(found)
    })
  }

  /** The reply, which says what was met on its way. */
  finishReply(request: HttpRequest, reply: MaybePromise<HttpReply>): MaybePromise<HttpReply> {
    const seen = this.#hasComputedFields ? andThen(reply, (there) => this.#withFailures(request, there)) : reply
    const told = this.#deprecations === null ? seen : this.#deprecations.addHeaders(request, seen)
    const stages = request.context?.stages ?? null
    if (stages === null) return told
    return andThen(told, (there) => {
      stages.mark('format')
      return there
    })
  }

  #withFailures(request: HttpRequest, reply: HttpReply): HttpReply {
    const failures = this.#failures.get(request)
    return failures === undefined ? reply : addFailureHeaders(reply, failures)
  }
}

const defaultRepresentation: ExecuteOptions = { isDefaultSelection: true }
const chosenFields: ExecuteOptions = { isDefaultSelection: false }

/** Only what the request chose itself is judged by depth and cost. */
export function executeOptions(parsed: ParsedRequest): ExecuteOptions {
  const chosen = isDefaultRepresentation(parsed) ? defaultRepresentation : chosenFields
  return parsed.idempotencyKey === undefined ? chosen : { ...chosen, idempotencyKey: parsed.idempotencyKey }
}

/** Of a write that answers with no row. */
export function writeOptions({ idempotencyKey: once }: ParsedRequest): ExecuteOptions {
  return once === undefined ? defaultRepresentation : { ...defaultRepresentation, idempotencyKey: once }
}

/** Whether nobody chose what is answered. */
export function isDefaultRepresentation({ query: { parameters: words } }: ParsedRequest): boolean {
  return words.fields === undefined
}
