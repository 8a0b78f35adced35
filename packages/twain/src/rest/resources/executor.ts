// From a question of this door to the engine and back. What a request names is noted before it is executed: it is used,
// whatever comes of it. What own code failed with is taken out of the answer, and told beside it.

import { type HttpReply, type HttpRequest, type MaybePromise, type Viewer, whenThere } from '#base'
import { clientOf, type Engine, type Wants } from '#engine'
import type { Answer, Naming, Question } from '#plan'
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

  execute(request: HttpRequest, question: Question, viewer: Viewer, wants?: Wants): MaybePromise<Answer> {
    const stages = request.exchange?.stages ?? null
    this.note(request, question.plan, wants?.whole === true)
    if (stages === null) return this.seen(request, this.#engine.execute(question, viewer, wants))
    stages.mark('plan')
    return whenThere(this.#engine.execute(question, viewer, wants), (answer) => {
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
  seen(request: HttpRequest, answer: MaybePromise<Answer>): MaybePromise<Answer> {
    if (!this.#computes) return answer
    return whenThere(answer, (found) => {
      const failures = failuresOf(found)
      if (failures.length === 0) return found
      this.#failures.set(request, spellFailures(failures, this.#onError, request.exchange?.id))
      return withoutFailed(found)
    })
  }

  /** The reply, which says what was met on its way. */
  told(request: HttpRequest, reply: MaybePromise<HttpReply>): MaybePromise<HttpReply> {
    const seen = this.#computes ? whenThere(reply, (there) => this.#withFailures(request, there)) : reply
    const told = this.#deprecations === null ? seen : this.#deprecations.tell(request, seen)
    const stages = request.exchange?.stages ?? null
    if (stages === null) return told
    return whenThere(told, (there) => {
      stages.mark('format')
      return there
    })
  }

  #withFailures(request: HttpRequest, reply: HttpReply): HttpReply {
    const failures = this.#failures.get(request)
    return failures === undefined ? reply : tellFailures(reply, failures)
  }
}
