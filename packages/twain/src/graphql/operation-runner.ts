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
import type { Deprecation } from '#plan/explain'
import { DocumentCache, type GraphqlOperation } from './document/document-cache.ts'
import { PersistedDocuments } from './document/persisted-documents.ts'
import {
  formatAnyError,
  formatApiError,
  RequestErrors,
  type ResponseError,
  type UnexpectedErrorHandler,
  withoutSuggestions,
} from './document/response-errors.ts'
import { coerceVariables } from './document/variables.ts'
import { VisibleSchemas } from './document/visible-schemas.ts'
import type { ResponseCaching } from './execute/cache-control.ts'
import {
  type ExecutionContext,
  execute,
  newResponseBudget,
  type ResponseBudget,
  type RootResult,
  recordUsage,
} from './execute/execute.ts'
import { formatResults } from './execute/format.ts'
import { checkInputs } from './execute/input-errors.ts'
import { Introspection } from './execute/introspection.ts'
import { type OperationOutcome, subscribe } from './execute/subscription.ts'
import { executeTransaction, isTransaction } from './execute/transaction.ts'
import type { GraphqlOptions } from './graphql.ts'
import type { InputCoercers } from './input/coerce-input.ts'
import { OperationPlanner, type PlannedOperation } from './plan/plan-operation.ts'
import { buildApiSchema } from './schema/build-schema.ts'
import type { DocumentRequest, GraphqlRequest } from './transport/http-request.ts'
import type { Uploads } from './transport/multipart.ts'

/** Who asks, by which request. */
export interface CallerContext {
  http: HttpRequest
  viewer: Viewer
  /** The files that came with it, if it is a multipart one. */
  uploads: Uploads | null
}

/** The text of a response, and how long it may be kept; null: as it is for others. */
export interface OperationResponse {
  text: string
  cacheControl: string | null
  /** Whether all that it writes was written before, under the same key. */
  isReplayed?: boolean
  /** What is deprecated of what it names; left out, or null: nothing. */
  deprecated?: Deprecation | null
}

export class OperationRunner {
  readonly #engine: Engine
  readonly #tokens: Tokens | null
  readonly #events: Events | null
  readonly #webhooks: Webhooks | null
  readonly #persisted: PersistedDocuments
  readonly #documents: DocumentCache
  readonly #planner: OperationPlanner
  readonly #introspection: Introspection
  readonly #coercers: InputCoercers
  readonly #hasSuggestions: boolean
  readonly #onError: UnexpectedErrorHandler | null
  readonly #visibleSchemas: VisibleSchemas
  readonly #caching: ResponseCaching

  constructor(engine: Engine, tokens: Tokens | null, caching: ResponseCaching, options: GraphqlOptions) {
    const { onError = null, introspection = true, trusted = new Map(), trustedOnly = false } = options
    this.#engine = engine
    this.#tokens = tokens
    this.#events = options.events ?? null
    this.#webhooks = options.webhooks ?? null
    const apiSchema = buildApiSchema(engine.model)
    this.#persisted = new PersistedDocuments(trusted, trustedOnly)
    this.#documents = new DocumentCache(apiSchema, engine.limits, introspection)
    this.#planner = new OperationPlanner(apiSchema, engine.limits)
    this.#introspection = new Introspection(apiSchema)
    this.#coercers = apiSchema.coercers
    this.#hasSuggestions = introspection
    this.#onError = onError
    this.#visibleSchemas = new VisibleSchemas(engine.model, engine.limits, introspection)
    this.#caching = caching
  }

  gauges(): Gauge[] {
    return [...this.#documents.gauges(), ...this.#planner.gauges()]
  }

  /** An answer, or what is to be followed. */
  async start(request: GraphqlRequest, asking: CallerContext): Promise<OperationOutcome> {
    const prepared = this.#prepare(request, asking, newResponseBudget())
    if (prepared.context.operation.kind !== 'subscription') {
      return { kind: 'answer', text: (await this.#execute(prepared, request, asking)).text }
    }
    const [root] = prepared.planned.roots
    if (root === undefined || root.kind === 'constant' || root.kind === 'introspection') throw nothingToSubscribe()
    if (root.kind === 'failed') throw toRequestErrors(root.fault)
    if (root.kind !== 'subscription') throw new Error(`a subscription has a ${root.kind} for its root`)
    recordUsage(root.plan, prepared.context)
    return subscribe(root, { ...prepared.context, key: prepared.key })
  }

  run(request: GraphqlRequest, asking: CallerContext, room: ResponseBudget): MaybePromise<OperationResponse> {
    const prepared = this.#prepare(request, asking, room)
    if (prepared.context.operation.kind === 'subscription') throw needsStream()
    return this.#execute(prepared, request, asking)
  }

  #prepare(request: GraphqlRequest, { http, viewer, uploads }: CallerContext, room: ResponseBudget): PreparedOperation {
    const stages = http.context?.stages ?? null
    const visibility = this.#engine.visibility(viewer)
    const { variables: given, operationName } = request
    const asked: DocumentRequest = { text: this.#persisted.textOf(request), variables: given, operationName }
    const operation = this.#withVisibleErrors(asked, visibility, () =>
      this.#documents.find(asked.text, operationName, stages),
    )
    this.#persisted.register(request)
    if (operation.kind === 'mutation' && http.method !== 'POST') {
      throw new ApiError('METHOD_NOT_ALLOWED', 'A mutation is asked with POST.', { headers: { allow: 'POST' } })
    }
    const coerced = this.#withVisibleErrors(asked, visibility, () => coerceVariables(operation.variables, given))
    const { values: variables, shape } = coerced
    stages?.mark('validate')
    const planned = this.#planner.plan(operation, variables, shape, visibility)
    const unseen = planned.usesHiddenField ? this.#visibleSchemas.findError(asked, visibility) : null
    if (unseen !== null) throw toRequestErrors(unseen)
    const run: ExecutionContext = {
      operation,
      variables,
      viewer,
      clientAddress: http.address,
      engine: this.#engine,
      tokens: this.#tokens,
      events: this.#events,
      webhooks: this.#webhooks,
      uploads,
      introspection: this.#introspection,
      onError: this.#onError,
      requestId: http.context?.id,
      mayForbid: visibility.mayForbid,
      deniedFields: null,
      budget: room,
      clientName: clientOf(http.headers),
      deprecated: null,
      idempotency: idempotencyTrackerFor(request, asked.text, viewer),
    }
    return { planned, context: run, key: `${operation.key}${shape}`, hasMistypedInput: coerced.misfits }
  }

  #execute(
    prepared: PreparedOperation,
    request: GraphqlRequest,
    asking: CallerContext,
  ): MaybePromise<OperationResponse> {
    if (!prepared.hasMistypedInput) return this.#executeChecked(prepared, request, asking)
    const { planned, context: run } = prepared
    return checkInputs(planned, run, this.#coercers).then(() => this.#executeChecked(prepared, request, asking))
  }

  #executeChecked(
    { planned, context: run }: PreparedOperation,
    request: GraphqlRequest,
    { http }: CallerContext,
  ): MaybePromise<OperationResponse> {
    const stages = http.context?.stages ?? null
    const extensions = request.includeCost ? { cost: this.#costOf(run.operation) } : null
    const results = isTransaction(run.operation) ? executeTransaction(planned, run) : execute(planned, run)
    return andThen(results, (done) => {
      if (run.deniedFields !== null) this.#engine.deniedReads.tell(run.deniedFields)
      stages?.mark('execute')
      const text = formatResults(this.#visibleResults(done), extensions)
      stages?.mark('format')
      const cacheControl = this.#caching.control(planned, done, http.method)
      return { text, cacheControl, isReplayed: isFullyReplayed(run), deprecated: run.deprecated }
    })
  }

  /** What is wrong with a request is told in the words of the contract as its viewer sees it. */
  #withVisibleErrors<T>(asked: DocumentRequest, visibility: Visibility, step: () => T): T {
    try {
      return step()
    } catch (error) {
      throw toRequestErrors(this.#visibleSchemas.findError(asked, visibility) ?? error)
    }
  }

  #costOf({ measure: { depth, cost } }: GraphqlOperation): object {
    const { limits } = this.#engine
    return { depth, maxDepth: limits.depth, cost, maxCost: limits.cost }
  }

  errorsOf(error: unknown, request?: string): readonly ResponseError[] {
    const errors = error instanceof RequestErrors ? error.errors : [formatAnyError(error, this.#onError, request)]
    return this.#hasSuggestions ? errors : errors.map(withoutSuggestions)
  }

  #visibleResults(results: RootResult[]): RootResult[] {
    if (this.#hasSuggestions) return results
    return results.map((one) => ('error' in one ? { ...one, error: withoutSuggestions(one.error) } : one))
  }
}

/** An operation that is understood. */
interface PreparedOperation {
  planned: PlannedOperation
  context: ExecutionContext
  /** Equal for operations whose answers have the same form. */
  key: string
  /** Whether something that a mutation takes is not of its type. */
  hasMistypedInput: boolean
}

function needsStream(): ApiError {
  return new ApiError('BAD_REQUEST', 'A subscription stays open, which this answer does not.', {
    hint: 'Ask for it over a WebSocket at this address (graphql-transport-ws), or with Accept: text/event-stream.',
  })
}

function nothingToSubscribe(): ApiError {
  return new ApiError('BAD_REQUEST', 'There is nothing to follow in this subscription.')
}

/** A record for each field that writes: the key, and how it is answered. What was sent must be the same. */
function idempotencyTrackerFor(
  { idempotencyKey: key, variables, operationName }: GraphqlRequest,
  text: string,
  viewer: Viewer,
) {
  if (key === null) return null
  const sent = [text, operationName ?? '', JSON.stringify(variables)]
  return {
    keyFor: (field: string) => idempotencyKeyOf(key, viewer, `graphql ${field}`, sent),
    executed: 0,
    replayed: 0,
  }
}

function isFullyReplayed({ idempotency }: ExecutionContext): boolean {
  return idempotency !== null && idempotency.replayed > 0 && idempotency.executed === 0
}

/** A Fault of the document or of the variables is a GraphQL response, not a failure of the transport. */
function toRequestErrors(error: unknown): unknown {
  return error instanceof ApiError ? new RequestErrors([formatApiError(error)]) : error
}
