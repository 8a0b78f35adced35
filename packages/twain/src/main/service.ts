// A schema file, served: requests in, replies out, without a socket. The contract can be swapped under way.
//
// 1. A request sees one contract from its beginning to its end: the swap waits for those inside.
// 2. A request is never lost to a swap: those who come meanwhile wait for it.
// 3. A file with mistakes, or a change that the store refuses, leaves what was served as it was.

import {
  ApiError,
  andThen,
  anonymous,
  type BodyStream,
  type HttpReply,
  type HttpRequest,
  isStream,
  type MaybePromise,
  networkOf,
  type Socket,
  type SocketAcceptor,
  type SocketHandler,
  system,
  type Viewer,
} from '#base'
import {
  createRoutes,
  type HttpHandler,
  type HttpSettings,
  isLocal,
  type Metrics,
  type RateLimit,
  type Routes,
} from '#http'
import type { Model } from '#model'
import { compose, type Runtime, type ServiceEnvironment } from './compose.ts'
import { Gate } from './gate.ts'
import { type CodedSchema, readCodedSchema } from './read-code.ts'
import { requireRules } from './require-rules.ts'

export interface ServiceOptions extends ServiceEnvironment {
  schemaFile: string
  /** Whether a contract that leaves something open to everyone by saying nothing is refused. */
  requireRules?: boolean
  /** How many requests each viewer may make; left out: as many as it likes. */
  rate?: RateLimit | null
  /** What `/metrics` tells, and whom; left out: there is none. */
  metrics?: { of: Metrics; to: HttpSettings['metrics'] }
}

export type ReloadOutcome =
  | { kind: 'same' } // the file says what is already served
  | { kind: 'swapped'; before: Model; after: Model }
  | { kind: 'kept'; reason: unknown } // what was served still is; SchemaRejected, StartRefused, or a bug
  | { kind: 'lost'; reason: unknown } // the way back failed too: 503 until a reload succeeds

/** Throws SchemaRejected, CodeRejected or StartRefused; then nothing is open and nothing was migrated. */
export async function openService(options: ServiceOptions, build: typeof compose = compose): Promise<Service> {
  const schema = await readCodedSchema(options.schemaFile)
  if (options.requireRules === true) requireRules(schema.model)
  return new Service(schema, await build(schema, options), options, build)
}

export class Service {
  readonly handle: HttpHandler
  /** As `handle`, but it is ourselves who ask, and no rule is: for what the operator does, such as filling it. */
  readonly handleAsSystem: HttpHandler
  /** Those who stay: each with the contract that it came to. */
  readonly sockets: SocketAcceptor
  readonly #gate = new Gate()
  readonly #options: ServiceOptions
  readonly #build: typeof compose
  #retired = false
  #schema: CodedSchema
  /** Null when it is closed, or when a swap failed and the way back failed too. */
  #house: Runtime | null
  #closed = false

  constructor(schema: CodedSchema, house: Runtime, options: ServiceOptions, build: typeof compose) {
    this.#schema = schema
    this.#house = house
    this.#options = options
    this.#build = build
    const viewerOf: ViewerOf = (request, house) => (isSigningIn(request) ? anonymous : this.#viewerOf(request, house))
    const graphiql = this.#door('graphiql', () => anonymous)
    const routes: Routes = {
      rest: this.#door('rest', viewerOf),
      graphql: this.#door('graphql', viewerOf),
      graphiql: () => (this.#house?.graphiql ? graphiql : null),
      model: () => this.model,
      unready: () => this.#unready(),
      metrics: options.metrics && ((request) => this.#metrics(request)),
      log: options.log,
    }
    this.handle = createRoutes(routes)
    this.sockets = (request, line) => this.#line(request, line, viewerOf)
    const asSystem: ViewerOf = () => system
    this.handleAsSystem = createRoutes({
      ...routes,
      rest: this.#door('rest', asSystem),
      graphql: this.#door('graphql', asSystem),
    })
  }

  get model(): Model {
    return this.#schema.model
  }

  /** Reads the file again and serves what it says now. */
  async reload(): Promise<ReloadOutcome> {
    try {
      const schema = await readCodedSchema(this.#options.schemaFile)
      if (isSame(schema, this.#schema) && this.#house !== null) return { kind: 'same' }
      const swapped = this.#gate.alone(() => this.#swap(schema))
      this.#house?.endStreams() // the swap waits for who is inside, and these would stay
      return await swapped
    } catch (reason) {
      return { kind: this.#house === null ? 'lost' : 'kept', reason }
    }
  }

  /** Says on `/readyz` that no new requests should come; those that do are still answered. What stays open ends now. */
  retire(): void {
    this.#retired = true
    this.#house?.endStreams()
  }

  /** For good: a reload that is under way opens nothing any more. */
  async close(): Promise<void> {
    this.#closed = true
    const left = this.#gate.alone(() => this.#leave())
    this.#house?.endStreams()
    await left
  }

  /** Who comes with a token that is none is counted by its address, so that guessing has an end. */
  #viewerOf(request: HttpRequest, house: Runtime): MaybePromise<Viewer> {
    try {
      const viewer = house.viewerOf(request)
      return viewer instanceof Promise ? viewer.catch((error) => this.#refused(request, error)) : viewer
    } catch (error) {
      return this.#refused(request, error)
    }
  }

  #refused(request: HttpRequest, error: unknown): never {
    this.#count(request, anonymous)
    throw error
  }

  #unready(): string | null {
    if (this.#retired) return 'the server is stopping'
    if (!this.#gate.open) return 'the contract is being changed'
    if (this.#house === null) return 'no contract is being served: the last change failed, and so did the way back'
    return this.#house.ready() ? null : 'the database takes no writes'
  }

  async #metrics(request: HttpRequest): Promise<string> {
    const { of, to } = this.#options.metrics!
    if (to === 'off') throw new ApiError('NOT_FOUND', 'There is nothing here.')
    if (to === 'local' && !isLocal(request) && !(await this.#isWatcher(request))) {
      throw new ApiError('FORBIDDEN', 'The metrics are for this machine, and for keys with the role metrics.', {
        hint: 'twain key --role metrics makes one. The setting http.metrics says who else may read them.',
      })
    }
    return of.text(this.#house?.gauges ?? [])
  }

  async #isWatcher(request: HttpRequest): Promise<boolean> {
    const { roles } = (await this.#house?.viewerOf(request)) ?? anonymous
    return roles.includes('metrics') || roles.includes('admin')
  }

  #door(name: 'rest' | 'graphql' | 'graphiql', viewerOf: ViewerOf): HttpHandler {
    const answer = (request: HttpRequest): MaybePromise<HttpReply> => {
      const house = this.#house
      const door = house?.[name]
      if (!house || !door) throw unavailable()
      return andThen(viewerOf(request, house), (viewer) => {
        this.#count(request, viewer)
        this.#noteAgain(request, viewerOf)
        return door(request, viewer)
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

  /** Who is answered leaves: with a stream, when that is sent. */
  readonly #answered = (reply: HttpReply): HttpReply => {
    if (isStream(reply.body)) return { ...reply, body: this.#untilSent(reply.body) }
    this.#gate.leave()
    return reply
  }

  readonly #leaveWith = (error: unknown): never => {
    this.#gate.leave()
    throw error
  }

  #line(request: HttpRequest, line: Socket, viewerOf: ViewerOf): SocketHandler {
    const house = this.#house
    if (house === null || !this.#gate.open) {
      line.close(comeAgain, 'Service restart: come again')
      return nobody
    }
    return house.sockets.open(request, line, {
      viewerOf: (asked) => viewerOf({ ...request, ...asked }, house),
      countRequest: (viewer) => void this.#options.rate?.take(keyOf(request, viewer)),
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

  /** An answer that stays open asks again and again whether its viewer still counts. */
  #noteAgain(request: HttpRequest, viewerOf: ViewerOf): void {
    const { context, headers } = request
    if (context === undefined) return
    if (headers.accept?.includes('event-stream') !== true && headers.prefer === undefined) return
    context.reauthenticate ??= () => (this.#house === null ? anonymous : viewerOf(request, this.#house))
  }

  /** Throws TOO_MANY_REQUESTS. */
  #count({ address, path, context }: HttpRequest, viewer: Viewer): void {
    const name = viewer.account ?? viewer.token
    if (context !== undefined) context.viewer = name
    const { rate } = this.#options
    if (rate === undefined || rate === null || viewer === system) return
    const key = keyOf({ address }, viewer)
    const left = rate.take(key)
    if (context === undefined) return
    const { responseHeaders: fields } = context
    const at = fields.push('ratelimit', left, 'ratelimit-policy', rate.policy) - 4
    if (path !== '/graphql') return // only there one request may be several
    context.countMore = (requests) => {
      const told = fields.splice(at, 4) // a refusal tells it by itself
      told[1] = rate.takeMore(key, requests)
      fields.splice(at, 0, ...told)
    }
  }

  /** No generator: one that is ended before it has begun would never come to its `finally`. */
  #untilSent(body: BodyStream): BodyStream {
    const parts = body[Symbol.asyncIterator]()
    let isInside = true
    const leave = () => {
      if (isInside) this.#gate.leave()
      isInside = false
    }
    const next = async () => {
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
    return { [Symbol.asyncIterator]: () => ({ next, return: end }) }
  }

  /** A store holds its data alone, so the old one closes before the new one opens. */
  async #swap(schema: CodedSchema): Promise<ReloadOutcome> {
    const before = this.#schema
    if (this.#closed || (isSame(schema, before) && this.#house !== null)) return { kind: 'same' }
    await this.#leave()
    try {
      this.#house = await this.#build(schema, this.#options)
    } catch (reason) {
      this.#house = await this.#build(before, this.#options)
      return { kind: 'kept', reason }
    }
    this.#schema = schema
    return { kind: 'swapped', before: before.model, after: schema.model }
  }

  async #leave(): Promise<void> {
    const house = this.#house
    this.#house = null
    await house?.close()
  }
}

/** Whose requests are counted together. */
function keyOf({ address }: Pick<HttpRequest, 'address'>, { account, token }: Viewer): string {
  return account ?? token ?? networkOf(address)
}

/** RFC 6455, 7.4.2 (registry): service restart. */
const comeAgain = 1012

const nobody: SocketHandler = { receive() {}, closed() {} }

function isSame(a: CodedSchema, b: CodedSchema): boolean {
  return a.sdl === b.sdl && a.exported === b.exported
}

type ViewerOf = (request: HttpRequest, house: Runtime) => MaybePromise<Viewer>

function unavailable(): ApiError {
  return new ApiError('UNAVAILABLE', 'The service is not available just now.', { headers: { 'retry-after': '1' } })
}

/** Who signs in or renews needs no token, and one that has expired must not stand in the way. */
function isSigningIn({ method, path }: HttpRequest): boolean {
  return method === 'POST' && path === '/tokens'
}
