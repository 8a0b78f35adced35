// One operation of a request, from its document to the text of its response: find the document → coerce the variables → plan →
// execute → format. Documents and plans are cached, so that a repeated operation only binds its values.

import { AccountExport, type Tokens } from '#auth'
import { ApiError, andThen, CacheBudget, type MaybePromise, type Monitor, recoverWith, type Tracing } from '#base'
import { clientOf, type HttpRequest, idempotencyKeyOf, prefersAsync, type Viewer } from '#base/http'
import type { Engine, SchemaInspector } from '#engine'
import type { Events, Webhooks } from '#events'
import type { Mailbox } from '#mail'
import { hasExport } from '#model/names'
import type { PlanMeasure } from '#plan'
import { bindPlan, type Visibility } from '#plan/build'
import type { Deprecation } from '#plan/explain'
import { DocumentCache, type GraphqlOperation } from './document/document-cache.ts'
import type { RootScans } from './document/document-cost.ts'
import { checkOperationCost } from './document/document-limits.ts'
import type { DocumentRequest, GraphqlRequest } from './document/graphql-request.ts'
import { PersistedDocuments, type TrustedDocuments } from './document/persisted-documents.ts'
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
import { subscribeToCode } from './execute/custom-subscription.ts'
import { execute, retryAfterOf } from './execute/execute.ts'
import {
  type ExecutionContext,
  type IdempotencyTracker,
  newResponseBudget,
  type ResponseBudget,
  type RootResult,
  recordUsage,
} from './execute/execution-context.ts'
import { formatResults } from './execute/format.ts'
import { checkInputs } from './execute/input-errors.ts'
import { Introspection } from './execute/introspection.ts'
import { type CountOperation, type OperationNote, OperationObserver } from './execute/operation-observer.ts'
import { HiddenNames, runByPresentRights } from './execute/present-rights.ts'
import { type OperationOutcome, subscribe } from './execute/subscription.ts'
import { executeTransaction, isTransaction } from './execute/transaction.ts'
import type { Uploads } from './execute/uploads.ts'
import type { VariableValues } from './input/argument-values.ts'
import type { InputCoercers } from './input/coerce-input.ts'
import { OperationPlanner, type PlannedOperation } from './plan/plan-operation.ts'
import { type ApiSchema, buildApiSchema } from './schema/build-schema.ts'

export interface OperationRunnerOptions {
  /** Gets every error that is not an ApiError, with the id that the response shows. Without it the runner throws them. */
  onError?: UnexpectedErrorHandler
  /** Whether introspection is allowed; default: true. */
  introspection?: boolean
  trusted?: TrustedDocuments
  /** Whether only trusted documents may run. */
  trustedOnly?: boolean
  events?: Events | null
  /** Null or absent: the service keeps no mails. */
  mailbox?: Mailbox | null
  /** Null or absent: the server does not watch itself. */
  monitor?: Monitor | null
  /** Null or absent: nothing answers the fields about the schema. */
  servedSchema?: SchemaInspector | null
  /** Null or absent: nothing answers the message of a delivery. */
  webhooks?: Pick<Webhooks, 'message'> | null
  caches?: CacheBudget
  /** Counts each operation. */
  onOperation?: CountOperation | null
  /** Default: nothing is traced. */
  tracing?: Tracing | null
}

/** The client and its request. */
export interface CallerContext {
  http: HttpRequest
  viewer: Viewer
  /** The files of a multipart request. */
  uploads: Uploads | null
}

export interface OperationResponse {
  text: string
  /** Null: the default of the API. */
  cacheControl: string | null
  /** Whether an earlier request with the same idempotency key did all its writes. */
  isReplayed?: boolean
  /** The earliest deprecation that the operation used. */
  deprecated?: Deprecation | null
  /** Null unless the server was unavailable for all its fields: the seconds of `Retry-After`. */
  retryAfter?: string | null
}

export class OperationRunner {
  readonly #engine: Engine
  readonly #tokens: Tokens | null
  readonly #events: Events | null
  readonly #exported: AccountExport | null
  readonly #mailbox: Mailbox | null
  readonly #monitor: Monitor | null
  readonly #servedSchema: SchemaInspector | null
  readonly #webhooks: Pick<Webhooks, 'message'> | null
  readonly #apiSchema: ApiSchema
  readonly #persisted: PersistedDocuments
  readonly #documents: DocumentCache
  readonly #planner: OperationPlanner
  readonly #introspection: Introspection
  readonly #coercers: InputCoercers
  readonly #hasSuggestions: boolean
  readonly #onError: UnexpectedErrorHandler | null
  readonly #visibleSchemas: VisibleSchemas
  readonly #caching: ResponseCaching
  /** Null: operations are neither counted nor traced. */
  readonly #observer: OperationObserver | null

  constructor(engine: Engine, tokens: Tokens | null, caching: ResponseCaching, options: OperationRunnerOptions) {
    const { onError = null, introspection = true, trusted = new Map(), trustedOnly = false } = options
    const { caches = new CacheBudget() } = options
    this.#engine = engine
    this.#tokens = tokens
    this.#events = options.events ?? null
    this.#mailbox = options.mailbox ?? null
    this.#monitor = options.monitor ?? null
    this.#servedSchema = options.servedSchema ?? null
    this.#webhooks = options.webhooks ?? null
    const { account } = engine.model
    this.#exported = account !== null && hasExport(engine.model) ? new AccountExport(engine, account) : null
    const apiSchema = buildApiSchema(engine.model)
    this.#apiSchema = apiSchema
    this.#persisted = new PersistedDocuments(trusted, trustedOnly, caches)
    this.#documents = new DocumentCache(apiSchema, engine.limits, introspection, caches)
    this.#planner = new OperationPlanner(apiSchema, engine.limits, caches)
    this.#introspection = new Introspection(apiSchema, caches)
    this.#coercers = apiSchema.coercers
    this.#hasSuggestions = introspection
    this.#onError = onError
    this.#visibleSchemas = new VisibleSchemas(engine.model, engine.limits, introspection, caches)
    this.#caching = caching
    const { onOperation = null, tracing = null } = options
    this.#observer = onOperation === null && tracing === null ? null : new OperationObserver(onOperation, tracing)
  }

  /** Runs a query or a mutation, or starts a subscription. */
  async start(request: GraphqlRequest, caller: CallerContext): Promise<OperationOutcome> {
    return this.#observer === null
      ? this.#byPresentRights(caller, (current) => this.#start(request, current, null))
      : this.#observer.observe((note) =>
          this.#byPresentRights(caller, (current) => this.#start(request, current, note)),
        )
  }

  async #start(request: GraphqlRequest, caller: CallerContext, note: OperationNote | null): Promise<OperationOutcome> {
    const prepared = this.#prepare(request, caller, newResponseBudget(), note)
    if (prepared.context.operation.kind !== 'subscription') {
      const { text, retryAfter = null } = await this.#execute(prepared, request, caller, note)
      return { kind: 'response', text, retryAfter }
    }
    const [root] = prepared.planned.roots
    if (root === undefined || root.kind === 'constant' || root.kind === 'introspection') throw nothingToSubscribe()
    if (root.kind === 'failed') throw toRequestErrors(root.error)
    if (root.kind === 'custom') return { kind: 'values', source: await subscribeToCode(root, prepared.context) }
    if (root.kind !== 'subscription') throw new Error(`a subscription has a ${root.kind} as its root field`)
    recordUsage(bindPlan(root, prepared.context.variables), prepared.context)
    return subscribe(root, { ...prepared.context, key: prepared.key, bytes: prepared.planned.bytes })
  }

  /** Runs a query or a mutation. */
  run(request: GraphqlRequest, caller: CallerContext, budget: ResponseBudget): MaybePromise<OperationResponse> {
    if (this.#observer === null)
      return this.#byPresentRights(caller, (current) => this.#run(request, current, budget, null))
    return this.#observer.observe((note) =>
      this.#byPresentRights(caller, (current) => this.#run(request, current, budget, note)),
    )
  }

  /** What fails as a whole is tried again if the caller's rights have grown meanwhile. */
  #byPresentRights<T>(caller: CallerContext, step: (caller: CallerContext) => MaybePromise<T>): MaybePromise<T> {
    return recoverWith<T>(
      () => step(caller),
      (error) =>
        runByPresentRights(error, { viewer: caller.viewer, tokens: this.#tokens }, (viewer) =>
          step({ ...caller, viewer }),
        ),
    )
  }

  #run(
    request: GraphqlRequest,
    caller: CallerContext,
    budget: ResponseBudget,
    note: OperationNote | null,
  ): MaybePromise<OperationResponse> {
    const prepared = this.#prepare(request, caller, budget, note)
    if (prepared.context.operation.kind === 'subscription') throw needsStream()
    return this.#execute(prepared, request, caller, note)
  }

  #prepare(
    request: GraphqlRequest,
    { http, viewer, uploads }: CallerContext,
    budget: ResponseBudget,
    note: OperationNote | null,
  ): PreparedOperation {
    const stages = http.context?.stages ?? null
    const visibility = this.#engine.visibility(viewer)
    const { variables: rawValues, operationName } = request
    const document: DocumentRequest = { text: this.#persisted.textOf(request), variables: rawValues, operationName }
    const operation = this.#withVisibleErrors(document, visibility, () =>
      this.#documents.find(document.text, operationName, stages),
    )
    this.#persisted.register(request)
    // A batch has said no before its first operation.
    if (http.context !== undefined) http.context.onlyReads ??= operation.kind !== 'mutation'
    if (operation.kind === 'mutation' && http.method !== 'POST') {
      throw new ApiError('METHOD_NOT_ALLOWED', 'A mutation needs POST.', { headers: { allow: 'POST' } })
    }
    const coerced = this.#withVisibleErrors(document, visibility, () => coerceVariables(operation.variables, rawValues))
    const { values: variables, shape, hasMistypedInput } = coerced
    const { cost } = this.#engine.limits
    if (operation.hasVariablePages && cost > 0 && operation.measure.cost > cost) this.#measure(operation, variables)
    stages?.mark('validate')
    const planned = this.#planner.plan(operation, variables, shape, visibility)
    note?.planned(planned, operation.node.name?.value ?? null)
    stages?.mark('plan')
    const hiddenError = planned.usesHiddenField ? this.#visibleSchemas.findError(document, visibility) : null
    if (hiddenError !== null) throw new HiddenNames(toRequestErrors(hiddenError))
    const { scans } = planned
    if (scans.size > 0 && cost > 0 && operation.measure.cost + costOfScans(scans) > cost)
      this.#measure(operation, variables, scans)
    const context: ExecutionContext = {
      operation,
      variables,
      viewer,
      freshViewer: null,
      clientAddress: http.address,
      caller: http.context,
      readOptions: { caller: http.context },
      engine: this.#engine,
      tokens: this.#tokens,
      events: this.#events,
      exported: this.#exported,
      mailbox: this.#mailbox,
      monitor: this.#monitor,
      servedSchema: this.#servedSchema,
      webhooks: this.#webhooks,
      uploads,
      introspection: this.#introspection,
      onError: this.#onError,
      requestId: http.context?.id,
      mayForbid: visibility.mayForbid,
      deniedFields: null,
      budget,
      clientName: clientOf(http.headers),
      deprecated: null,
      isAsync: request.isAsync || prefersAsync(http),
      idempotency: idempotencyTrackerFor(request, document.text, viewer),
    }
    return { planned, context, key: `${operation.key}${shape}`, hasMistypedInput }
  }

  #execute(
    prepared: PreparedOperation,
    request: GraphqlRequest,
    caller: CallerContext,
    note: OperationNote | null,
  ): MaybePromise<OperationResponse> {
    if (!prepared.hasMistypedInput) return this.#executeChecked(prepared, request, caller, note)
    const { planned, context } = prepared
    return checkInputs(planned, context, this.#coercers).then(() =>
      this.#executeChecked(prepared, request, caller, note),
    )
  }

  #executeChecked(
    { planned, context }: PreparedOperation,
    request: GraphqlRequest,
    { http }: CallerContext,
    note: OperationNote | null,
  ): MaybePromise<OperationResponse> {
    const stages = http.context?.stages ?? null
    const extensions = request.includeCost ? { cost: this.#costOf(context, planned) } : null
    const executed = isTransaction(context.operation) ? executeTransaction(planned, context) : execute(planned, context)
    return andThen(executed, (results) => {
      if (context.deniedFields !== null) {
        this.#engine.denials.logRead(context.deniedFields, { path: '/graphql', id: context.requestId })
      }
      note?.executed(results)
      stages?.mark('execute')
      const text = formatResults(this.#visibleResults(results), extensions)
      stages?.mark('format')
      const cacheControl = this.#caching.control(planned, results, http.method)
      const retryAfter = retryAfterOf(planned, results)
      return { text, cacheControl, isReplayed: isFullyReplayed(context), deprecated: context.deprecated, retryAfter }
    })
  }

  /** Errors of a request must not name what the viewer can't see: they are those of the schema without it. */
  #withVisibleErrors<T>(document: DocumentRequest, visibility: Visibility, step: () => T): T {
    try {
      return step()
    } catch (error) {
      throw toRequestErrors(this.#visibleSchemas.findError(document, visibility) ?? error)
    }
  }

  /** With the page sizes of this request. Throws RequestErrors if the operation costs too much. */
  #measure(operation: GraphqlOperation, variables: VariableValues, scans?: RootScans): PlanMeasure {
    const { schema, weights } = this.#apiSchema
    return checkOperationCost(operation, variables, schema, this.#engine.limits, weights, scans)
  }

  #costOf({ operation, variables }: ExecutionContext, { scans }: PlannedOperation): object {
    const { limits } = this.#engine
    const isMeasured = !operation.hasVariablePages && scans.size === 0
    const { depth, cost } = isMeasured ? operation.measure : this.#measure(operation, variables, scans)
    return { depth, maxDepth: limits.depth, cost, maxCost: limits.cost }
  }

  errorsOf(error: unknown, requestId?: string): readonly ResponseError[] {
    const errors = error instanceof RequestErrors ? error.errors : [formatAnyError(error, this.#onError, requestId)]
    return this.#hasSuggestions ? errors : errors.map(withoutSuggestions)
  }

  #visibleResults(results: RootResult[]): RootResult[] {
    if (this.#hasSuggestions) return results
    return results.map((one) => ('error' in one ? { ...one, error: withoutSuggestions(one.error) } : one))
  }
}

/** A validated and planned operation. */
interface PreparedOperation {
  planned: PlannedOperation
  context: ExecutionContext
  /** Equal for operations whose responses have the same shape. */
  key: string
  /** Whether an input of a mutation has a value that is not of its type. */
  hasMistypedInput: boolean
}

function costOfScans(scans: RootScans): number {
  let sum = 0
  for (const { cost } of scans.values()) sum += cost
  return sum
}

function needsStream(): ApiError {
  return new ApiError('BAD_REQUEST', 'A subscription needs a connection that stays open.', {
    hint: 'Use a WebSocket at this URL (graphql-transport-ws), or Accept: text/event-stream.',
  })
}

function nothingToSubscribe(): ApiError {
  return new ApiError('BAD_REQUEST', 'This subscription has no field that sends events.')
}

/** A record for each root field that writes: the key and the response key. A replay must send the same request. */
function idempotencyTrackerFor(
  { idempotencyKey: key, variables, operationName }: GraphqlRequest,
  text: string,
  viewer: Viewer,
): IdempotencyTracker | null {
  if (key === null) return null
  const sent = [text, operationName ?? '', JSON.stringify(variables)]
  return { keyFor: (field) => idempotencyKeyOf(key, viewer, `graphql ${field}`, sent), executed: 0, replayed: 0 }
}

function isFullyReplayed({ idempotency }: ExecutionContext): boolean {
  return idempotency !== null && idempotency.replayed > 0 && idempotency.executed === 0
}

/** An ApiError of the document or the variables is a GraphQL response, not an error of the transport. */
function toRequestErrors(error: unknown): unknown {
  return error instanceof ApiError ? new RequestErrors([formatApiError(error)]) : error
}
