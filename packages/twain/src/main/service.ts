// A service of one schema: it turns requests into replies, without a socket, and can reload the schema.
//
// 1. A request sees one schema from start to end: the reload waits for running requests.
// 2. A reload loses no request: new requests wait for it.
// 3. If the file has mistakes, or the store refuses the change, the previous schema stays in service.

import {
  ApiError,
  andThen,
  LoadHistory,
  LogHistory,
  type MaybePromise,
  SlowStatements,
  StatementRecorder,
  unreachable,
} from '#base'
import {
  type ApiHandler,
  anonymous,
  type BodyStream,
  clientKey,
  type HttpReply,
  type HttpRequest,
  isOperator,
  isStream,
  isSystem,
  ServerTiming,
  type Socket,
  type SocketAcceptor,
  type SocketHandler,
  system,
  type Viewer,
} from '#base/http'
import { clearTimeout, setTimeout } from '#base/time'
import { CodeRejected } from '#code'
import { type PendingSchema, SchemaWatch } from '#engine'
import {
  createConsole,
  createRoutes,
  createStaticFiles,
  type HttpHandler,
  type HttpSettings,
  isLocal,
  type Metrics,
  type RateLimit,
  type Routes,
  type SignInLinks,
} from '#http'
import type { Model, SchemaSource } from '#model'
import { StartRefused } from '#store'
import { compose, type Runtime } from './compose.ts'
import { Gate } from './gate.ts'
import type { ServiceEnvironment } from './open-core.ts'
import { type CodedSchema, readCodedSchema, SchemaRejected } from './read-files.ts'
import { requireRules } from './require-rules.ts'

export interface ServiceOptions extends ServiceEnvironment {
  /** A schema file, or a folder of them. */
  schemaFile: string
  /** Whether the caller reloads the service when a schema file changes. */
  isWatched?: boolean
  /** Whether to refuse a schema with types that are open to everyone because they have no rules. */
  requireRules?: boolean
  /** Whether `/console` serves the console. Default: true. */
  console?: boolean
  /** The links of `twain dev` that sign in to the console. Default: none. */
  consoleLinks?: SignInLinks | null
  /** The rate limit of each viewer. Default: none. */
  rate?: RateLimit | null
  /** The metrics, and who may read them. Default: no `/metrics`. */
  metrics?: { of: Metrics; to: HttpSettings['metrics'] }
}

export type ReloadOutcome =
  | { kind: 'same' } // the file equals the served schema
  | { kind: 'swapped'; before: Model; after: Model }
  | { kind: 'rejected'; reason: unknown } // the previous schema stays; SchemaRejected, StartRefused, or a bug
  | { kind: 'lost'; reason: unknown } // reopening the previous schema failed too: 503 until a reload succeeds

/** Throws SchemaRejected, CodeRejected or StartRefused; then nothing stays open and nothing was migrated. */
export async function openService(given: ServiceOptions, build: typeof compose = compose): Promise<Service> {
  const options = { ...watched(given), schemaWatch: new SchemaWatch(given.isWatched === true) }
  const schema = await readCodedSchema(options.schemaFile)
  if (options.requireRules === true) requireRules(schema.model)
  return new Service(schema, await build(schema, options), options, build)
}

/** Administrators see the log and the slow queries of every service. Requests are counted by the command that listens. */
function watched(options: ServiceOptions): ServiceOptions {
  const { slowStatements = new SlowStatements(), recorder = new StatementRecorder(), monitored, log } = options
  if (monitored !== undefined) return { ...options, slowStatements, recorder }
  const history = new LogHistory(unreachable)
  return {
    ...options,
    slowStatements,
    recorder,
    log: history.keeping(log),
    monitored: { load: new LoadHistory([]), log: history },
  }
}

export class Service {
  readonly handle: HttpHandler
  /** Like `handle`, with the system as viewer, so that no access rule applies. For the operator's commands, such as a seed. */
  readonly handleAsSystem: HttpHandler
  /** Whether results of writes wait for the event loop. */
  readonly hasResults = (): boolean => this.#runtime?.hasResults() ?? false
  /** WebSockets. Each stays with the schema under which it was opened. */
  readonly sockets: SocketAcceptor
  readonly #gate = new Gate()
  readonly #options: ServiceOptions
  readonly #build: typeof compose
  #retired = false
  #schema: CodedSchema
  /** Null after `close`, and if both a reload and reopening the previous schema failed. */
  #runtime: Runtime | null
  #closed = false
  /** Ends a stream that is being sent. */
  readonly #streams = new Set<() => void>()

  constructor(schema: CodedSchema, runtime: Runtime, options: ServiceOptions, build: typeof compose) {
    this.#schema = schema
    this.#runtime = runtime
    this.#options = options
    this.#build = build
    const viewerOf: ViewerOf = (request, runtime) =>
      isSigningIn(request) ? anonymous : this.#viewerOf(request, runtime)
    const routes: Routes = {
      rest: this.#apiHandler('rest', viewerOf),
      graphql: this.#apiHandler('graphql', viewerOf),
      operator: this.#apiHandler('operator', viewerOf),
      console:
        options.console === false
          ? null
          : createConsole({ links: options.consoleLinks ?? null, makeToken: () => this.makeConsoleToken() }),
      isTrustedOnly: options.graphql?.trustedDocumentsOnly ?? false,
      staticFiles: options.http?.static ? createStaticFiles(options.http.static) : null,
      model: () => this.model,
      unready: () => this.#unready(),
      metrics: options.metrics && ((request) => this.#metrics(request)),
      log: options.log,
    }
    this.handle = createRoutes(routes)
    this.sockets = (request, socket) => this.#openSocket(request, socket, viewerOf)
    const asSystem: ViewerOf = () => system
    this.handleAsSystem = createRoutes({
      ...routes,
      rest: this.#apiHandler('rest', asSystem),
      graphql: this.#apiHandler('graphql', asSystem),
      operator: this.#apiHandler('operator', asSystem),
    })
  }

  get model(): Model {
    return this.#schema.model
  }

  /** Whether it has custom code. */
  get hasCode(): boolean {
    return this.#schema.exported !== null
  }

  /** A token with the role admin, for the developer who runs the service. */
  makeConsoleToken(): Promise<{ token: string; expiresAt: string }> {
    if (this.#runtime === null) throw unavailable()
    return this.#runtime.signOperator(['admin'], consoleTokenSeconds)
  }

  /** Reads the file again and serves its current schema. */
  async reload(): Promise<ReloadOutcome> {
    try {
      const schema = await readCodedSchema(this.#options.schemaFile)
      if (isSame(schema, this.#schema) && this.#runtime !== null) return this.#noted({ kind: 'same' })
      const swapped = this.#gate.alone(() => this.#swap(schema))
      const ending = this.#endStreams() // the reload waits for running requests, and streams would not end by themselves
      return this.#noted(await swapped.finally(() => clearTimeout(ending)), schema.sources)
    } catch (reason) {
      return this.#noted({ kind: this.#runtime === null ? 'lost' : 'rejected', reason })
    }
  }

  /** Lets the service tell why the present files are not served. */
  #noted(outcome: ReloadOutcome, sources: readonly SchemaSource[] = []): ReloadOutcome {
    const { schemaWatch } = this.#options
    if (schemaWatch !== undefined) schemaWatch.pending = 'reason' in outcome ? pendingOf(outcome.reason, sources) : null
    return outcome
  }

  /** Makes `/readyz` answer 503 and ends open streams. New requests are still answered. */
  retire(): void {
    this.#retired = true
    this.#runtime?.endStreams()
  }

  /** Closes the service for good. A reload that runs meanwhile opens nothing. It waits for running requests, for so long as
   *  `patience` lasts. */
  async close(patience?: Promise<void>): Promise<void> {
    this.#closed = true
    const left = this.#gate.alone(() => this.#closeRuntime(), patience)
    const ending = this.#endStreams()
    await left.finally(() => clearTimeout(ending))
  }

  /** Live streams end at once, and their clients resume. Others have a moment: a client that does not read an export would
   *  hold up everybody else. */
  #endStreams(): NodeJS.Timeout {
    this.#runtime?.endStreams()
    return setTimeout(() => {
      for (const end of this.#streams) end()
    }, streamGraceMs)
  }

  /** A request with an invalid token counts against the rate limit of its address, which stops guessing. */
  #viewerOf(request: HttpRequest, runtime: Runtime): MaybePromise<Viewer> {
    try {
      const viewer = runtime.viewerOf(request)
      return viewer instanceof Promise ? viewer.catch((error) => this.#rejectViewer(request, error)) : viewer
    } catch (error) {
      return this.#rejectViewer(request, error)
    }
  }

  #rejectViewer(request: HttpRequest, error: unknown): never {
    this.#count(request, anonymous)
    throw error
  }

  #unready(): string | null {
    if (this.#retired) return 'the server is stopping'
    if (!this.#gate.open) return 'the schema is being reloaded'
    if (this.#runtime === null)
      return 'no schema is served: the last reload failed, and so did reopening the previous schema'
    return this.#runtime.unready()
  }

  async #metrics(request: HttpRequest): Promise<string> {
    const { of, to } = this.#options.metrics!
    if (to === 'off') throw new ApiError('NOT_FOUND', 'There is nothing here.')
    if (to === 'local' && !isLocal(request) && !(await this.#mayReadMetrics(request))) {
      throw new ApiError('FORBIDDEN', 'Only this machine and keys with role metrics may read the metrics.', {
        hint: 'Create a key with twain key --role metrics, or change the setting http.metrics.',
      })
    }
    return of.text(this.#runtime?.gauges ?? [])
  }

  async #mayReadMetrics(request: HttpRequest): Promise<boolean> {
    const { roles } = (await this.#runtime?.viewerOf(request)) ?? anonymous
    return roles.includes('metrics') || roles.includes('admin')
  }

  #apiHandler(name: 'rest' | 'graphql' | 'operator', viewerOf: ViewerOf): HttpHandler {
    const answer = (request: HttpRequest): MaybePromise<HttpReply> => {
      const runtime = this.#runtime
      const api = runtime?.[name]
      if (!runtime || !api) throw unavailable()
      return andThen(viewerOf(request, runtime), (viewer) => {
        this.#count(request, viewer)
        this.#allowReauthentication(request, viewerOf)
        return wantsStatements(request) ? recorded(runtime, request, viewer, api) : api(request, viewer)
      })
    }
    const enter = (request: HttpRequest): MaybePromise<HttpReply> => {
      this.#gate.enter()
      try {
        const reply = answer(request)
        if (!(reply instanceof Promise)) return this.#answered(reply)
        return reply.then(this.#answered, this.#leaveWith)
      } catch (error) {
        return this.#leaveWith(error)
      }
    }
    return (request) => (this.#gate.open ? enter(request) : this.#whenOpen(() => enter(request)))
  }

  async #whenOpen(enter: () => MaybePromise<HttpReply>): Promise<HttpReply> {
    while (!this.#gate.open) await this.#gate.opened()
    return enter()
  }

  /** Leaves the gate: at once, or for a stream when it is sent. */
  readonly #answered = (reply: HttpReply): HttpReply => {
    if (isStream(reply.body)) return { ...reply, body: this.#untilSent(reply.body) }
    this.#gate.leave()
    return reply
  }

  readonly #leaveWith = (error: unknown): never => {
    this.#gate.leave()
    throw error
  }

  #openSocket(request: HttpRequest, socket: Socket, viewerOf: ViewerOf): SocketHandler {
    const runtime = this.#runtime
    if (runtime === null || !this.#gate.open) {
      socket.close(CLOSE_SERVICE_RESTART, 'Service restart: reconnect')
      return closedSocket
    }
    return runtime.sockets.open(request, socket, {
      viewerOf: (credentials) => viewerOf({ ...request, ...credentials }, runtime),
      countRequest: (viewer) => {
        if (!isOperator(viewer)) this.#options.rate?.take(clientKey(viewer, request.address))
      },
      withCurrentModel: async (work) => {
        while (!this.#gate.open) await this.#gate.opened()
        this.#gate.enter()
        try {
          return await work()
        } finally {
          this.#gate.leave()
        }
      },
    })
  }

  /** Lets a stream or a long poll check again and again whether the viewer's token is still valid. */
  #allowReauthentication(request: HttpRequest, viewerOf: ViewerOf): void {
    const { context, headers } = request
    if (context === undefined) return
    if (headers.accept?.includes('event-stream') !== true && headers.prefer === undefined) return
    context.reauthenticate ??= () => (this.#runtime === null ? anonymous : viewerOf(request, this.#runtime))
  }

  /** Throws TOO_MANY_REQUESTS. */
  #count({ address, path, context }: HttpRequest, viewer: Viewer): void {
    const name = viewer.account ?? viewer.token
    const key = clientKey(viewer, address)
    if (context !== undefined) {
      context.viewer = name
      if (viewer.acting !== undefined) context.actor = viewer.acting.by
      context.client = key
    }
    const { rate } = this.#options
    if (rate === undefined || rate === null || isSystem(viewer) || isOperator(viewer)) return
    const left = rate.take(key)
    if (context === undefined) return
    const { responseHeaders: fields } = context
    const at = fields.push('ratelimit', left, 'ratelimit-policy', rate.policy) - 4
    if (path !== '/graphql') return // only a GraphQL request may be several
    context.countMore = (requests) => {
      const rateFields = fields.splice(at, 4) // removed first, because a refusal has its own fields
      rateFields[1] = rate.takeMore(key, requests)
      fields.splice(at, 0, ...rateFields)
    }
  }

  /** Not a generator: `return` before the first `next` would skip its `finally`. */
  #untilSent(body: BodyStream): BodyStream {
    const parts = body[Symbol.asyncIterator]()
    let isInside = true
    let isCut = false
    let overdue: NodeJS.Timeout | undefined
    const leave = () => {
      if (isInside) this.#gate.leave()
      isInside = false
      clearTimeout(overdue)
      this.#streams.delete(cut)
    }
    const cut = () => {
      isCut = true
      void Promise.resolve(parts.return?.()).catch(() => {})
      leave()
    }
    this.#streams.add(cut)
    if (!this.#gate.open) overdue = setTimeout(cut, streamGraceMs) // the moment of those that were there may be over
    const next = async () => {
      if (isCut) throw unavailable()
      try {
        const part = await parts.next()
        if (part.done === true) leave()
        return part
      } catch (error) {
        leave()
        throw error
      }
    }
    const end = async () => {
      try {
        await parts.return?.()
      } finally {
        leave()
      }
      return { done: true as const, value: undefined }
    }
    return {
      get waitingSize() {
        return body.waitingSize ?? 0
      },
      [Symbol.asyncIterator]: () => ({ next, return: end }),
    }
  }

  /** A store has exclusive access to its data, so the old one closes before the new one opens. */
  async #swap(schema: CodedSchema): Promise<ReloadOutcome> {
    const before = this.#schema
    if (this.#closed || (isSame(schema, before) && this.#runtime !== null)) return { kind: 'same' }
    await this.#closeRuntime()
    try {
      this.#runtime = await this.#build(schema, this.#options)
    } catch (reason) {
      this.#runtime = await this.#build(before, this.#options)
      return { kind: 'rejected', reason }
    }
    this.#schema = schema
    return { kind: 'swapped', before: before.model, after: schema.model }
  }

  async #closeRuntime(): Promise<void> {
    const runtime = this.#runtime
    this.#runtime = null
    await runtime?.close()
  }
}

function pendingOf(reason: unknown, sources: readonly SchemaSource[]): PendingSchema {
  if (reason instanceof SchemaRejected)
    return { files: reason.sources, mistakes: reason.mistakes, reason: reason.message }
  const isForUser = reason instanceof CodeRejected || reason instanceof StartRefused
  const text = isForUser ? reason.message : 'The reload failed. The terminal of the server says why.'
  return { files: sources, mistakes: [], reason: text }
}

/** A working day of the developer who opened the link of `twain dev`. */
const consoleTokenSeconds = 12 * 3600

/** How long a stream may go on while the service waits for it. */
const streamGraceMs = 2000

/** RFC 6455, 7.4.2 (registry): service restart. */
const CLOSE_SERVICE_RESTART = 1012

const closedSocket: SocketHandler = { receive() {}, closed() {} }

/** Not by the stored text alone: a type in another file has another place, which explanations name. */
function isSame(a: CodedSchema, b: CodedSchema): boolean {
  if (a.exported !== b.exported || a.sources.length !== b.sources.length) return false
  if (!a.sources.every(({ file, text }, index) => file === b.sources[index]!.file && text === b.sources[index]!.text))
    return false
  const { length } = a.migrations
  return length === b.migrations.length && a.migrations.every(({ hash }, index) => hash === b.migrations[index]!.hash)
}

type ViewerOf = (request: HttpRequest, runtime: Runtime) => MaybePromise<Viewer>

function unavailable(): ApiError {
  return new ApiError('UNAVAILABLE', 'The service is not available now.', { headers: { 'retry-after': '1' } })
}

/** Signing in, refreshing and asking for a code need no token, so an expired one is ignored. */
function isSigningIn({ method, path }: HttpRequest): boolean {
  return method === 'POST' && (path === '/tokens' || path === '/codes')
}

/** `Prefer: statements` (RFC 7240). */
function wantsStatements({ headers }: HttpRequest): boolean {
  return headers.prefer !== undefined && /(^|,)\s*statements\s*(,|$)/i.test(headers.prefer)
}

/** Without the right, the preference is ignored. */
function recorded(
  { monitor }: Runtime,
  request: HttpRequest,
  viewer: Viewer,
  api: ApiHandler,
): MaybePromise<HttpReply> {
  const { context } = request
  if (context === undefined || !monitor.mayRecord(viewer)) return api(request, viewer)
  context.responseHeaders.push('preference-applied', 'statements')
  context.stages ??= new ServerTiming()
  context.sendsStages = true
  return monitor.record(context.id, () => api(request, viewer))
}
