// One operation of a request, from its text to the text of its response: find the document → coerce the variables → plan →
// execute → format. What a document and a shape of variables led to is kept, so that the next request only brings values.

import type { Tokens } from '#auth'
import {
  ApiError,
  andThen,
  type Gauge,
  type HttpRequest,
  idempotencyKeyOf,
  type MaybePromise,
  type Viewer,
} from '#base'
import { clientOf, type Engine } from '#engine'
import type { Events, Webhooks } from '#events'
import type { Visibility } from '#plan/build'
import type { Deprecated } from '#plan/explain'
import type { Coercers } from './document/coerce-input.ts'
import { Documents, type Operation } from './document/document.ts'
import { Persisted } from './document/persisted-documents.ts'
import {
  anyError,
  faultError,
  type OnError,
  RequestErrors,
  type ResponseError,
  withoutSuggestions,
} from './document/request-errors.ts'
import { coerceVariables } from './document/variables.ts'
import type { Caching } from './execute/cache-control.ts'
import { execute, note, type Room, type RootResult, type Run, roomForResponse } from './execute/execute.ts'
import { formatResults } from './execute/format.ts'
import { Unseen } from './execute/hidden-fields.ts'
import { refuseWrongInputs } from './execute/input-errors.ts'
import { Introspection } from './execute/introspection.ts'
import { type Operated, subscribe } from './execute/subscription.ts'
import { executeTransaction, isTransaction } from './execute/transaction.ts'
import type { GraphqlOptions } from './graphql.ts'
import { OperationPlanner, type PlannedOperation } from './plan/plan-operation.ts'
import { openContract } from './schema/build-schema.ts'
import type { AskedText, GraphqlRequest } from './transport/http-request.ts'
import type { Uploads } from './transport/multipart.ts'

/** Who asks, by which request. */
export interface Asking {
  http: HttpRequest
  viewer: Viewer
  /** The files that came with it, if it is a multipart one. */
  uploads: Uploads | null
}

/** The text of a response, and how long it may be kept; null: as it is for others. */
export interface Performed {
  text: string
  control: string | null
  /** Whether all that it writes was written before, under the same key. */
  replayed?: boolean
  /** What is deprecated of what it names; left out, or null: nothing. */
  deprecated?: Deprecated | null
}

export class Operations {
  readonly #engine: Engine
  readonly #tokens: Tokens | null
  readonly #events: Events | null
  readonly #webhooks: Webhooks | null
  readonly #persisted: Persisted
  readonly #documents: Documents
  readonly #planner: OperationPlanner
  readonly #introspection: Introspection
  readonly #coercers: Coercers
  readonly #suggests: boolean
  readonly #onError: OnError | null
  readonly #unseen: Unseen
  readonly #caching: Caching

  constructor(engine: Engine, tokens: Tokens | null, caching: Caching, options: GraphqlOptions) {
    const { onError = null, introspection = true, trusted = new Map(), trustedOnly = false } = options
    this.#engine = engine
    this.#tokens = tokens
    this.#events = options.events ?? null
    this.#webhooks = options.webhooks ?? null
    const contract = openContract(engine.model)
    this.#persisted = new Persisted(trusted, trustedOnly)
    this.#documents = new Documents(contract, engine.limits, introspection)
    this.#planner = new OperationPlanner(contract, engine.limits)
    this.#introspection = new Introspection(contract)
    this.#coercers = contract.coercers
    this.#suggests = introspection
    this.#onError = onError
    this.#unseen = new Unseen(engine.model, engine.limits, introspection)
    this.#caching = caching
  }

  gauges(): Gauge[] {
    return [...this.#documents.gauges(), ...this.#planner.gauges()]
  }

  /** An answer, or what is to be followed. */
  async operate(request: GraphqlRequest, asking: Asking): Promise<Operated> {
    const prepared = this.#prepare(request, asking, roomForResponse())
    if (prepared.run.operation.kind !== 'subscription') {
      return { kind: 'answer', text: (await this.#execute(prepared, request, asking)).text }
    }
    const [root] = prepared.planned.roots
    if (root === undefined || root.kind === 'constant' || root.kind === 'introspection') throw nothingToFollow()
    if (root.kind === 'failed') throw asRequestErrors(root.fault)
    if (root.kind !== 'subscription') throw new Error(`a subscription has a ${root.kind} for its root`)
    note(root.plan, prepared.run)
    return subscribe(root, { ...prepared.run, key: prepared.key })
  }

  perform(request: GraphqlRequest, asking: Asking, room: Room): MaybePromise<Performed> {
    const prepared = this.#prepare(request, asking, room)
    if (prepared.run.operation.kind === 'subscription') throw staysOpen()
    return this.#execute(prepared, request, asking)
  }

  #prepare(request: GraphqlRequest, { http, viewer, uploads }: Asking, room: Room): Prepared {
    const stages = http.context?.stages ?? null
    const visibility = this.#engine.visibility(viewer)
    const { variables: given, operationName } = request
    const asked: AskedText = { text: this.#persisted.textOf(request), variables: given, operationName }
    const operation = this.#asSeen(asked, visibility, () => this.#documents.find(asked.text, operationName, stages))
    this.#persisted.keep(request)
    if (operation.kind === 'mutation' && http.method !== 'POST') {
      throw new ApiError('METHOD_NOT_ALLOWED', 'A mutation is asked with POST.', { headers: { allow: 'POST' } })
    }
    const coerced = this.#asSeen(asked, visibility, () => coerceVariables(operation.variables, given))
    const { values: variables, shape } = coerced
    stages?.mark('validate')
    const planned = this.#planner.plan(operation, variables, shape, visibility)
    const unseen = planned.meetsHidden ? this.#unseen.wrongWith(asked, visibility) : null
    if (unseen !== null) throw asRequestErrors(unseen)
    const run: Run = {
      operation,
      variables,
      viewer,
      address: http.address,
      engine: this.#engine,
      tokens: this.#tokens,
      events: this.#events,
      webhooks: this.#webhooks,
      uploads,
      introspection: this.#introspection,
      onError: this.#onError,
      request: http.context?.id,
      refuses: visibility.mayForbid,
      refused: null,
      room,
      client: clientOf(http.headers),
      deprecated: null,
      once: onceFor(request, asked.text, viewer),
    }
    return { planned, run, key: `${operation.key}${shape}`, misfits: coerced.misfits }
  }

  #execute(prepared: Prepared, request: GraphqlRequest, asking: Asking): MaybePromise<Performed> {
    if (!prepared.misfits) return this.#executeFit(prepared, request, asking)
    const { planned, run } = prepared
    return refuseWrongInputs(planned, run, this.#coercers).then(() => this.#executeFit(prepared, request, asking))
  }

  #executeFit({ planned, run }: Prepared, request: GraphqlRequest, { http }: Asking): MaybePromise<Performed> {
    const stages = http.context?.stages ?? null
    const extensions = request.wantsCost ? { cost: this.#costOf(run.operation) } : null
    const results = isTransaction(run.operation) ? executeTransaction(planned, run) : execute(planned, run)
    return andThen(results, (done) => {
      if (run.refused !== null) this.#engine.deniedReads.tell(run.refused)
      stages?.mark('execute')
      const text = formatResults(this.#told(done), extensions)
      stages?.mark('format')
      const control = this.#caching.control(planned, done, http.method)
      return { text, control, replayed: isReplayed(run), deprecated: run.deprecated }
    })
  }

  /** What is wrong with a request is told in the words of the contract as its viewer sees it. */
  #asSeen<T>(asked: AskedText, visibility: Visibility, step: () => T): T {
    try {
      return step()
    } catch (error) {
      throw asRequestErrors(this.#unseen.wrongWith(asked, visibility) ?? error)
    }
  }

  #costOf({ measure: { depth, cost } }: Operation): object {
    const { limits } = this.#engine
    return { depth, maxDepth: limits.depth, cost, maxCost: limits.cost }
  }

  errorsOf(error: unknown, request?: string): readonly ResponseError[] {
    const errors = error instanceof RequestErrors ? error.errors : [anyError(error, this.#onError, request)]
    return this.#suggests ? errors : errors.map(withoutSuggestions)
  }

  #told(results: RootResult[]): RootResult[] {
    if (this.#suggests) return results
    return results.map((one) => ('error' in one ? { ...one, error: withoutSuggestions(one.error) } : one))
  }
}

/** An operation that is understood. */
interface Prepared {
  planned: PlannedOperation
  run: Run
  /** Equal for operations whose answers have the same form. */
  key: string
  /** Whether something that a mutation takes is not of its type. */
  misfits: boolean
}

function staysOpen(): ApiError {
  return new ApiError('BAD_REQUEST', 'A subscription stays open, which this answer does not.', {
    hint: 'Ask for it over a WebSocket at this address (graphql-transport-ws), or with Accept: text/event-stream.',
  })
}

function nothingToFollow(): ApiError {
  return new ApiError('BAD_REQUEST', 'There is nothing to follow in this subscription.')
}

/** A record for each field that writes: the key, and how it is answered. What was sent must be the same. */
function onceFor({ idempotencyKey: key, variables, operationName }: GraphqlRequest, text: string, viewer: Viewer) {
  if (key === null) return null
  const sent = [text, operationName ?? '', JSON.stringify(variables)]
  return { of: (field: string) => idempotencyKeyOf(key, viewer, `graphql ${field}`, sent), made: 0, replayed: 0 }
}

function isReplayed({ once }: Run): boolean {
  return once !== null && once.replayed > 0 && once.made === 0
}

/** A Fault of the document or of the variables is a GraphQL response, not a failure of the transport. */
function asRequestErrors(error: unknown): unknown {
  return error instanceof ApiError ? new RequestErrors([faultError(error)]) : error
}
