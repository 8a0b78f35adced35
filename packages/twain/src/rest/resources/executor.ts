// Executes bound plans for the handlers. It records usage and deprecations before the execution, and moves failures of custom
// code from the result to a header of the reply.

import { andThen, type MaybePromise } from '#base'
import { clientOf, type HttpReply, type HttpRequest, type Viewer } from '#base/http'
import type { Engine, ExecuteOptions } from '#engine'
import type { BoundPlan, PlanResult } from '#plan'
import type { AnyBoundPlan } from '#plan/explain'
import {
  addFailureHeaders,
  failuresOf,
  printFailures,
  type ReportCodeError,
  withoutFailedFields,
} from '../represent/absent-fields.ts'
import { DeprecationHeaders } from '../represent/response-headers.ts'
import type { ParsedRequest } from '../request/parsed-request.ts'

/** Called with each plan of a request before it is executed. `isDefaultSelection`: the request chose no fields. */
export type RecordUsage = (request: HttpRequest, boundPlan: AnyBoundPlan, isDefaultSelection: boolean) => void

export class Executor {
  readonly #engine: Engine
  readonly #onError: ReportCodeError | null
  /** Without computed fields no result has failures to look for. */
  readonly #hasComputedFields: boolean
  /** The value of the header with the failures, by request. */
  readonly #failures = new WeakMap<HttpRequest, string>()
  /** Null if the schema deprecates nothing. */
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
    this.recordUsage(request, boundPlan, options?.isDefaultSelection === true)
    const executed = { ...options, caller: request.context }
    if (stages === null) return this.withoutFailures(request, this.#engine.execute(boundPlan, viewer, executed))
    stages.mark('plan')
    return andThen(this.#engine.execute(boundPlan, viewer, executed), (answer) => {
      stages.mark('store')
      return this.withoutFailures(request, answer)
    })
  }

  /** Records usage for callers that run a plan without this executor. */
  recordUsage(request: HttpRequest, boundPlan: AnyBoundPlan, isDefaultSelection: boolean): void {
    this.#engine.usage.count(boundPlan.plan, clientOf(request.headers), isDefaultSelection, 'rest')
    this.#deprecations?.record(request, boundPlan)
  }

  /** Notes names of the schema that a request without a plan uses. */
  recordNames(request: HttpRequest, paths: readonly string[]): void {
    this.#deprecations?.recordNames(request, paths)
  }

  /** Removes failures from the result, for callers that run a plan without this executor. */
  withoutFailures(request: HttpRequest, answer: MaybePromise<PlanResult>): MaybePromise<PlanResult> {
    if (!this.#hasComputedFields) return answer
    return andThen(answer, (found) => {
      const failures = failuresOf(found)
      if (failures.length === 0) return found
      this.#failures.set(request, printFailures(failures, this.#onError, request.context?.id))
      return withoutFailedFields(found)
    })
  }

  /** Adds the headers for failures and deprecations. */
  finishReply(request: HttpRequest, reply: MaybePromise<HttpReply>): MaybePromise<HttpReply> {
    const withFailures = this.#hasComputedFields ? andThen(reply, (sent) => this.#withFailures(request, sent)) : reply
    const withDeprecations =
      this.#deprecations === null ? withFailures : this.#deprecations.addHeaders(request, withFailures)
    const stages = request.context?.stages ?? null
    if (stages === null) return withDeprecations
    return andThen(withDeprecations, (sent) => {
      stages.mark('format')
      return sent
    })
  }

  #withFailures(request: HttpRequest, reply: HttpReply): HttpReply {
    const failures = this.#failures.get(request)
    return failures === undefined ? reply : addFailureHeaders(reply, failures)
  }
}

const defaultRepresentation: ExecuteOptions = { isDefaultSelection: true }
const chosenFields: ExecuteOptions = { isDefaultSelection: false }

/** Limits of depth and cost only apply to fields that the request chose. */
export function executeOptions(parsed: ParsedRequest): ExecuteOptions {
  const options = isDefaultRepresentation(parsed) ? defaultRepresentation : chosenFields
  return parsed.idempotencyKey === undefined ? options : { ...options, idempotencyKey: parsed.idempotencyKey }
}

/** For writes without a response body. */
export function writeOptions({ idempotencyKey }: ParsedRequest): ExecuteOptions {
  return idempotencyKey === undefined ? defaultRepresentation : { ...defaultRepresentation, idempotencyKey }
}

/** Whether the request has no `fields`. */
export function isDefaultRepresentation({ query: { parameters } }: ParsedRequest): boolean {
  return parameters.fields === undefined
}
