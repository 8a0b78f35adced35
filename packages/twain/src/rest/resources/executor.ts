// From a question of this door to the engine and back. What a request names is noted before it is executed: it is used,
// whatever comes of it. What own code failed with is taken out of the answer, and told beside it.

import { andThen, type HttpReply, type HttpRequest, type MaybePromise, type Viewer } from '#base'
import { clientOf, type Engine, type ExecuteOptions } from '#engine'
import type { BoundPlan, PlanResult } from '#plan'
import type { Naming } from '#plan/explain'
import { TellingDeprecations } from '../represent/deprecation-headers.ts'
import { failuresOf, type OnError, spellFailures, tellFailures, withoutFailed } from '../represent/failed-fields.ts'

export class Executor {
  readonly #engine: Engine
  readonly #onError: OnError | null
  /** Whether own code answers anything: elsewhere nobody looks for what it failed with. */
  readonly #computes: boolean
  /** What own code failed with while a request was answered, as the header says it. */
  readonly #failures = new WeakMap<HttpRequest, string>()
  /** Null where the contract deprecates nothing. */
  readonly #deprecations: TellingDeprecations | null

  constructor(engine: Engine, onError: OnError | null) {
    this.#engine = engine
    this.#onError = onError
    this.#deprecations = engine.deprecations && new TellingDeprecations(engine.deprecations)
    this.#computes = engine.model.resources.some(({ computed }) => computed.size > 0)
  }

  execute(
    request: HttpRequest,
    boundPlan: BoundPlan,
    viewer: Viewer,
    options?: ExecuteOptions,
  ): MaybePromise<PlanResult> {
    const stages = request.context?.stages ?? null
    this.note(request, boundPlan.plan, options?.whole === true)
    if (stages === null) return this.seen(request, this.#engine.execute(boundPlan, viewer, options))
    stages.mark('plan')
    return andThen(this.#engine.execute(boundPlan, viewer, options), (answer) => {
      stages.mark('store')
      return this.seen(request, answer)
    })
  }

  /** By who asks the engine himself. */
  note(request: HttpRequest, plan: Naming, whole: boolean): void {
    this.#engine.usage.count(plan, clientOf(request.headers), whole)
    this.#deprecations?.note(request, plan)
  }

  /** As above. Without what own code failed with. */
  seen(request: HttpRequest, answer: MaybePromise<PlanResult>): MaybePromise<PlanResult> {
    if (!this.#computes) return answer
    return andThen(answer, (found) => {
      const failures = failuresOf(found)
      if (failures.length === 0) return found
      this.#failures.set(request, spellFailures(failures, this.#onError, request.context?.id))
      return withoutFailed(found)
    })
  }

  /** The reply, which says what was met on its way. */
  told(request: HttpRequest, reply: MaybePromise<HttpReply>): MaybePromise<HttpReply> {
    const seen = this.#computes ? andThen(reply, (there) => this.#withFailures(request, there)) : reply
    const told = this.#deprecations === null ? seen : this.#deprecations.tell(request, seen)
    const stages = request.context?.stages ?? null
    if (stages === null) return told
    return andThen(told, (there) => {
      stages.mark('format')
      return there
    })
  }

  #withFailures(request: HttpRequest, reply: HttpReply): HttpReply {
    const failures = this.#failures.get(request)
    return failures === undefined ? reply : tellFailures(reply, failures)
  }
}
