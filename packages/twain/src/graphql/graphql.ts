// The GraphQL door on one screen: read the request → find the document's text → parse and validate it → coerce the
// variables → plan → execute → format. What a document and a shape of variables led to is kept, so that the next request
// only brings values.

import { setImmediate } from 'node:timers/promises'
import type { Tokens } from '#auth'
import {
  type Door,
  Fault,
  type Gauge,
  type HttpReply,
  type HttpRequest,
  isKnown,
  type MaybePromise,
  onceOf,
  pageTag,
  readIdempotencyKey,
  recovered,
  type Viewer,
  whenThere,
} from '#base'
import { clientOf, type Engine } from '#engine'
import type { Events, Webhooks } from '#events'
import type { Files } from '#files'
import {
  CachePolicies,
  type Deprecated,
  deprecationHeaders,
  earliest,
  isOpen,
  leastPolicy,
  type Sight,
  spellPolicy,
} from '#plan'
import { openContract } from './contract.ts'
import { Documents, type Operation } from './document.ts'
import { isStreamed, streamAnswer, streamEvents } from './event-stream.ts'
import { execute, note, type Room, type RootResult, type Run, roomForResponse } from './execute.ts'
import { formatErrors, formatResults } from './format.ts'
import {
  type Asked,
  type AskedText,
  type GraphqlRequest,
  graphqlMethods,
  readBody,
  readParameters,
  readRequest,
} from './http-request.ts'
import { Introspection } from './introspection.ts'
import { chooseMediaType, type MediaType } from './media-type.ts'
import { Persisted, type TrustedDocuments } from './persisted.ts'
import { OperationPlanner, type PlannedOperation } from './plan-operation.ts'
import {
  anyError,
  faultError,
  type OnError,
  RequestErrors,
  type ResponseError,
  withoutSuggestions,
} from './request-errors.ts'
import { type Operated, subscribe } from './subscription.ts'
import { executeTransaction, isTransaction } from './transaction.ts'
import { Unseen } from './unseen.ts'
import { isUpload, readUploads, type Uploads } from './uploads.ts'
import { coerceVariables } from './variables.ts'

export interface GraphqlOptions {
  /** Told of every error that is not a Fault, with the id that the answer shows. Left out: such an error is thrown. */
  onError?: OnError
  /** Null, or left out, where no field is of the type `File`. */
  files?: Files | null
  /** Whether the schema can be asked for; it can, when left out. */
  introspection?: boolean
  trusted?: TrustedDocuments
  trustedOnly?: boolean
  /** What is told of changes; left out: nothing is. */
  events?: Events | null
  /** Null, or left out, where there are none. */
  webhooks?: Webhooks | null
  /** Where the door puts what it tells in numbers. */
  gauges?: Gauge[]
}

/** `tokens` is null where nobody can sign in. */
export function createGraphql(engine: Engine, tokens: Tokens | null, options: GraphqlOptions = {}): Door {
  return openGraphql(engine, tokens, options).answer
}

/** The same door for requests, and what lines need of it (`socket/lines.ts`). */
export interface GraphqlDoor {
  answer: Door
  /** One operation that may stay open. Rejects with what `errorsOf` tells. */
  operate(payload: unknown, request: HttpRequest, viewer: Viewer): Promise<Operated>
  errorsOf(error: unknown): readonly ResponseError[]
}

export function openGraphql(engine: Engine, tokens: Tokens | null, options: GraphqlOptions = {}): GraphqlDoor {
  const door = new Graphql(engine, tokens, options)
  options.gauges?.push(...door.gauges())
  return {
    answer: (request, viewer) => door.answer(request, viewer),
    operate: async (payload, request, viewer) => {
      const http = { ...request, method: 'POST' } // no page of another site opens a line unasked, so that it may write
      return door.operate(readParameters(payload, 'The payload'), { http, viewer, uploads: null })
    },
    errorsOf: (error) => door.errorsOf(error),
  }
}

/** Who asks, by which request. */
interface Asking {
  http: HttpRequest
  viewer: Viewer
  /** The files that came with it, if it is a multipart one. */
  uploads: Uploads | null
}

/** The text of a response, and how long it may be kept; null: as it is for others. */
interface Performed {
  text: string
  control: string | null
  /** Whether all that it writes was written before, under the same key. */
  replayed?: boolean
  /** What is deprecated of what it names; left out, or null: nothing. */
  deprecated?: Deprecated | null
}

class Graphql {
  readonly #engine: Engine
  readonly #tokens: Tokens | null
  readonly #events: Events | null
  readonly #webhooks: Webhooks | null
  readonly #files: Files | null
  readonly #persisted: Persisted
  readonly #documents: Documents
  readonly #planner: OperationPlanner
  readonly #introspection: Introspection
  readonly #suggests: boolean
  readonly #onError: OnError | null
  readonly #unseen: Unseen
  readonly #isRuled: boolean
  readonly #policies: CachePolicies

  constructor(engine: Engine, tokens: Tokens | null, options: GraphqlOptions) {
    const { onError = null, files = null, introspection = true, trusted = new Map(), trustedOnly = false } = options
    this.#engine = engine
    this.#tokens = tokens
    this.#events = options.events ?? null
    this.#webhooks = options.webhooks ?? null
    this.#files = files
    const contract = openContract(engine.model)
    this.#persisted = new Persisted(trusted, trustedOnly)
    this.#documents = new Documents(contract, engine.limits, introspection)
    this.#planner = new OperationPlanner(contract, engine.limits)
    this.#introspection = new Introspection(contract)
    this.#suggests = introspection
    this.#onError = onError
    this.#unseen = new Unseen(engine.model, engine.limits, introspection)
    this.#isRuled = !isOpen(engine.model)
    this.#policies = new CachePolicies(engine.model)
  }

  gauges(): Gauge[] {
    return [...this.#documents.gauges(), ...this.#planner.gauges()]
  }

  answer(request: HttpRequest, viewer: Viewer): MaybePromise<HttpReply> {
    if (request.method === 'OPTIONS') return { status: 204, headers: { allow: graphqlMethods }, body: null }
    let media: MediaType = 'application/json'
    const caching = this.#caching(request.method)
    return recovered(
      () => {
        const chosen = chooseMediaType(request.headers.accept)
        if (chosen === 'text/event-stream') return this.#stream(request, viewer)
        media = chosen
        if (isUpload(request)) return this.#upload(request, viewer, media, caching)
        return whenThere(readRequest(request, this.#engine.limits), (asked) =>
          whenThere(this.#performAsked(asked, { http: request, viewer, uploads: null }), (done) =>
            reply(request, media, done, caching),
          ),
        )
      },
      (error) => this.#failed(error, request, media, caching),
    )
  }

  async #upload(request: HttpRequest, viewer: Viewer, media: MediaType, caching: Headers): Promise<HttpReply> {
    const { limits } = this.#engine
    const uploads = await readUploads(request, viewer, this.#files, limits)
    try {
      const asked = readBody(uploads.operations, limits, '"operations"')
      return reply(request, media, await this.#performAsked(asked, { http: request, viewer, uploads }), caching)
    } finally {
      await uploads.release()
    }
  }

  /** One operation as an event stream (graphql-sse, distinct connections mode). */
  async #stream(request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    const asked = await readRequest(request, this.#engine.limits)
    if (asked.kind === 'batch') throw new Fault('BAD_REQUEST', 'An event stream is of one operation, not of a batch.')
    if (this.#events === null) throw new Error('nothing is told of changes here')
    const operated = await this.operate(asked.request, { http: request, viewer, uploads: null })
    const errorText = (fault: Fault) => formatErrors(this.errorsOf(fault, request.exchange?.id))
    return operated.kind === 'answer'
      ? streamAnswer(operated.text)
      : await streamEvents(operated, request, viewer, this.#events, errorText)
  }

  #failed(error: unknown, request: HttpRequest, media: MediaType, caching: Headers): HttpReply {
    const errors = formatErrors(this.errorsOf(error, request.exchange?.id))
    // The document or its variables are wrong: a GraphQL response of its own, which application/json says with 200
    // (GraphQL over HTTP, section 6.4).
    if (error instanceof RequestErrors)
      return answered(media === 'application/json' && !isStreamed(request) ? 200 : 400, media, errors, caching)
    const { status, headers } = error instanceof Fault ? error : { status: 500, headers: {} }
    return answered(status, media, errors, { ...caching, ...headers })
  }

  #performAsked(asked: Asked, asking: Asking): MaybePromise<Performed> {
    const key = readIdempotencyKey(asking.http.headers['idempotency-key'])
    if (asked.kind === 'one') {
      const { request } = asked
      const keyed = key === null || request.idempotencyKey !== null ? request : { ...request, idempotencyKey: key }
      return this.#perform(keyed, asking, roomForResponse())
    }
    if (key !== null) {
      throw new Fault('BAD_REQUEST', 'A batch has a key for each operation, not a header for all.', {
        hint: 'Write it as "extensions": {"idempotencyKey": "…"} of each operation.',
      })
    }
    return this.#performAll(asked.items, asking)
  }

  /** A batch: one after another, answered in order, each for itself. What one of them fails with harms no other. */
  async #performAll(items: readonly unknown[], asking: Asking): Promise<Performed> {
    if (items.length > 1) asking.http.exchange?.countMore?.(items.length - 1)
    const room = roomForResponse()
    const done: Performed[] = []
    for (const item of items) {
      try {
        done.push(await this.#perform(readParameters(item), asking, room))
      } catch (error) {
        done.push({ text: formatErrors(this.errorsOf(error, asking.http.exchange?.id)), control: null })
      }
      await setImmediate() // other requests get their turn
    }
    // A POST: what one of them says of its answer, if anything, is that nobody keeps it.
    const control = done.find((one) => one.control !== null)?.control ?? null
    const deprecated = done.reduce<Deprecated | null>((met, one) => earliest(met, one.deprecated ?? null), null)
    return { text: `[${done.map(({ text }) => text).join(',')}]`, control, deprecated }
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
    if (root.kind !== 'watch') throw new Error(`a subscription has a ${root.kind} for its root`)
    note(root.plan, prepared.run)
    return subscribe(root, { ...prepared.run, key: prepared.key })
  }

  #perform(request: GraphqlRequest, asking: Asking, room: Room): MaybePromise<Performed> {
    const prepared = this.#prepare(request, asking, room)
    if (prepared.run.operation.kind === 'subscription') throw staysOpen()
    return this.#execute(prepared, request, asking)
  }

  #prepare(request: GraphqlRequest, { http, viewer, uploads }: Asking, room: Room): Prepared {
    const stages = http.exchange?.stages ?? null
    const sight = this.#engine.sight(viewer)
    const { variables: given, operationName } = request
    const asked: AskedText = { text: this.#persisted.textOf(request), variables: given, operationName }
    const operation = this.#asSeen(asked, sight, () => this.#documents.find(asked.text, operationName, stages))
    this.#persisted.keep(request)
    if (operation.kind === 'mutation' && http.method !== 'POST') {
      throw new Fault('METHOD_NOT_ALLOWED', 'A mutation is asked with POST.', { headers: { allow: 'POST' } })
    }
    const { values: variables, shape } = this.#asSeen(asked, sight, () => coerceVariables(operation.variables, given))
    stages?.mark('validate')
    const planned = this.#planner.plan(operation, variables, shape, sight)
    const unseen = planned.meetsHidden ? this.#unseen.wrongWith(asked, sight) : null
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
      request: http.exchange?.id,
      refuses: sight.refuses,
      refused: null,
      room,
      client: clientOf(http.headers),
      deprecated: null,
      once: onceFor(request, asked.text, viewer),
    }
    return { planned, run, key: `${operation.key}${shape}` }
  }

  #execute({ planned, run }: Prepared, request: GraphqlRequest, { http }: Asking): MaybePromise<Performed> {
    const stages = http.exchange?.stages ?? null
    const extensions = request.wantsCost ? { cost: this.#costOf(run.operation) } : null
    const results = isTransaction(run.operation) ? executeTransaction(planned, run) : execute(planned, run)
    return whenThere(results, (done) => {
      if (run.refused !== null) this.#engine.refusedReads.tell(run.refused)
      stages?.mark('execute')
      const text = formatResults(this.#told(done), extensions)
      stages?.mark('format')
      const control = this.#control(planned, done, http.method)
      return { text, control, replayed: isReplayed(run), deprecated: run.deprecated }
    })
  }

  /** What is wrong with a request is told in the words of the contract as its viewer sees it. */
  #asSeen<T>(asked: AskedText, sight: Sight, step: () => T): T {
    try {
      return step()
    } catch (error) {
      throw asRequestErrors(this.#unseen.wrongWith(asked, sight) ?? error)
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

  /** How long the answer may be kept, where that is said of all that is in it (`@cacheControl`); null: as it is for others. */
  #control({ isSecret, roots }: PlannedOperation, results: readonly RootResult[], method: string): string | null {
    if (isSecret) return 'no-store'
    if (method === 'POST') return null
    const reads = roots.flatMap((root) => (root.kind === 'read' ? [this.#policies.of(root.plan)] : []))
    const isWhole = reads.length === roots.length && results.every((result) => !('error' in result))
    const policy = leastPolicy(reads)
    return isWhole && policy.maxAge > 0 ? spellPolicy(policy) : null
  }

  /** With rules an answer depends on who asks, so that no shared cache may give it to someone else. */
  #caching(method: string): Headers {
    const vary = this.#isRuled ? 'accept, authorization' : 'accept'
    if (method === 'POST') return { vary }
    return { vary, 'cache-control': this.#isRuled ? 'private, no-cache' : 'no-cache' }
  }
}

/** An operation that is understood. */
interface Prepared {
  planned: PlannedOperation
  run: Run
  /** Equal for operations whose answers have the same form. */
  key: string
}

function staysOpen(): Fault {
  return new Fault('BAD_REQUEST', 'A subscription stays open, which this answer does not.', {
    hint: 'Ask for it over a WebSocket at this address (graphql-transport-ws), or with Accept: text/event-stream.',
  })
}

function nothingToFollow(): Fault {
  return new Fault('BAD_REQUEST', 'There is nothing to follow in this subscription.')
}

/** A record for each field that writes: the key, and how it is answered. What was sent must be the same. */
function onceFor({ idempotencyKey: key, variables, operationName }: GraphqlRequest, text: string, viewer: Viewer) {
  if (key === null) return null
  const sent = [text, operationName ?? '', JSON.stringify(variables)]
  return { of: (field: string) => onceOf(key, viewer, `graphql ${field}`, sent), made: 0, replayed: 0 }
}

function isReplayed({ once }: Run): boolean {
  return once !== null && once.replayed > 0 && once.made === 0
}

/** A Fault of the document or of the variables is a GraphQL response, not a failure of the transport. */
function asRequestErrors(error: unknown): unknown {
  return error instanceof Fault ? new RequestErrors([faultError(error)]) : error
}

function reply(request: HttpRequest, media: MediaType, performed: Performed, caching: Headers): HttpReply {
  const { text, control, replayed = false, deprecated = null } = performed
  const headers: Headers = { ...caching, ...(deprecated === null ? {} : deprecationHeaders(deprecated)) }
  if (control !== null) headers['cache-control'] = control
  if (replayed) headers['idempotent-replayed'] = 'true'
  if (request.method === 'POST' || control === 'no-store') return answered(200, media, text, headers)
  const etag = pageTag(text)
  if (!isKnown(etag, request.headers['if-none-match'])) return answered(200, media, text, { ...headers, etag })
  return { status: 304, headers: { ...headers, etag }, body: null }
}

function answered(status: number, media: MediaType, body: string, headers: Headers): HttpReply {
  return { status, headers: { 'content-type': `${media}; charset=utf-8`, ...headers }, body }
}

type Headers = Record<string, string>
