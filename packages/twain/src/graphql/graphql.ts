// The GraphQL adapter on one screen: read the HTTP request → run its operations one after another (`operation-runner.ts`) →
// reply with JSON, or with an event stream.

import { setImmediate } from 'node:timers/promises'
import type { Tokens } from '#auth'
import { ApiError, andThen, type MaybePromise, recoverWith } from '#base'
import { type ApiHandler, type HttpReply, type HttpRequest, readIdempotencyKey, type Viewer } from '#base/http'
import type { Engine } from '#engine'
import type { Events } from '#events'
import type { Files } from '#files'
import { type Deprecation, earliestDeprecation } from '#plan/explain'
import { readParameters } from './document/graphql-request.ts'
import { RequestErrors } from './document/response-errors.ts'
import { type GraphqlHeaders, ResponseCaching } from './execute/cache-control.ts'
import { newResponseBudget } from './execute/execution-context.ts'
import { formatErrors } from './execute/format.ts'
import {
  type CallerContext,
  type OperationResponse,
  OperationRunner,
  type OperationRunnerOptions,
} from './operation-runner.ts'
import { graphqlMethods, type RequestedOperations, readBody, readHttpRequest } from './transport/http-request.ts'
import { isUpload, readUploads } from './transport/multipart.ts'
import { chooseMediaType, type MediaType, reply, textReply } from './transport/reply.ts'
import { acceptsStream, streamEvents, streamResponse, streamValues } from './transport/sse.ts'
import type { SocketOperations } from './transport/ws/sockets.ts'

export interface GraphqlOptions extends OperationRunnerOptions {
  /** Null if the model has no field of the type `File`. */
  files?: Files | null
}

/** `tokens` is null if the model has no accounts. */
export function createGraphql(engine: Engine, tokens: Tokens | null, options: GraphqlOptions = {}): ApiHandler {
  return openGraphql(engine, tokens, options).answer
}

/** The API over HTTP, and its operations for WebSockets. */
export interface GraphqlApi extends SocketOperations {
  answer: ApiHandler
}

export function openGraphql(engine: Engine, tokens: Tokens | null, options: GraphqlOptions = {}): GraphqlApi {
  const adapter = new GraphqlAdapter(engine, tokens, options)
  return {
    answer: (request, viewer) => adapter.answer(request, viewer),
    start: async (payload, request, viewer) => {
      // A mutation may run: a page of another site can't open a WebSocket here.
      const http = withOwnContext({ ...request, method: 'POST' })
      return adapter.runner.start(readParameters(payload, 'The payload'), { http, viewer, uploads: null })
    },
    errorsOf: (error) => adapter.runner.errorsOf(error),
  }
}

/** Each operation of a WebSocket is a request of its own. */
function withOwnContext(request: HttpRequest): HttpRequest {
  const { context } = request
  if (context === undefined) return request
  return { ...request, context: { ...context, passwords: 0, stages: context.stages?.renewed() ?? null } }
}

class GraphqlAdapter {
  readonly runner: OperationRunner
  readonly #engine: Engine
  readonly #events: Events | null
  readonly #files: Files | null
  readonly #caching: ResponseCaching

  constructor(engine: Engine, tokens: Tokens | null, options: GraphqlOptions) {
    this.#engine = engine
    this.#events = options.events ?? null
    this.#files = options.files ?? null
    this.#caching = new ResponseCaching(engine.model)
    this.runner = new OperationRunner(engine, tokens, this.#caching, options)
  }

  answer(request: HttpRequest, viewer: Viewer): MaybePromise<HttpReply> {
    if (request.method === 'OPTIONS') return { status: 204, headers: { allow: graphqlMethods }, body: null }
    let media: MediaType = 'application/json'
    const headers = this.#caching.headers(request.method)
    return recoverWith(
      () => {
        const chosen = chooseMediaType(request.headers.accept)
        if (chosen === 'text/event-stream') return this.#stream(request, viewer)
        media = chosen
        if (isUpload(request)) return this.#upload(request, viewer, media, headers)
        return andThen(readHttpRequest(request, this.#engine.limits), (requested) =>
          andThen(this.#run(requested, { http: request, viewer, uploads: null }), (response) =>
            reply(request, media, response, headers),
          ),
        )
      },
      (error) => this.#errorReply(error, request, media, headers),
    )
  }

  async #upload(request: HttpRequest, viewer: Viewer, media: MediaType, headers: GraphqlHeaders): Promise<HttpReply> {
    const { limits } = this.#engine
    const { operations, uploads } = await readUploads(request, viewer, this.#files, limits)
    try {
      const requested = readBody(operations, limits, '"operations"')
      return reply(request, media, await this.#run(requested, { http: request, viewer, uploads }), headers)
    } finally {
      await uploads.release()
    }
  }

  /** One operation as an event stream (graphql-sse, distinct connections mode). */
  async #stream(request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    const requested = await readHttpRequest(request, this.#engine.limits)
    if (requested.kind === 'batch')
      throw new ApiError('BAD_REQUEST', 'An event stream takes one operation, not a batch.')
    if (this.#events === null) throw new Error('there are no events to stream')
    const outcome = await this.runner.start(requested.request, { http: request, viewer, uploads: null })
    const errorText = (error: unknown) => formatErrors(this.runner.errorsOf(error, request.context?.id))
    if (outcome.kind === 'response') return streamResponse(outcome)
    if (outcome.kind === 'values') return streamValues(outcome.source, request, viewer, this.#events, errorText)
    return streamEvents(outcome, request, viewer, this.#events, errorText)
  }

  #errorReply(error: unknown, request: HttpRequest, media: MediaType, caching: GraphqlHeaders): HttpReply {
    const errors = formatErrors(this.runner.errorsOf(error, request.context?.id))
    // A mistake in the document or the variables: a GraphQL response without `data`, with status 200 in application/json
    // (GraphQL over HTTP, section 6.4).
    if (error instanceof RequestErrors)
      return textReply(media === 'application/json' && !acceptsStream(request) ? 200 : 400, media, errors, caching)
    const { status, headers } = error instanceof ApiError ? error : { status: 500, headers: {} }
    return textReply(status, media, errors, { ...caching, ...headers })
  }

  #run(requested: RequestedOperations, caller: CallerContext): MaybePromise<OperationResponse> {
    const key = readIdempotencyKey(caller.http.headers['idempotency-key'])
    if (requested.kind === 'one') {
      const { request } = requested
      const keyed = key === null || request.idempotencyKey !== null ? request : { ...request, idempotencyKey: key }
      return this.runner.run(keyed, caller, newResponseBudget())
    }
    if (key !== null) {
      throw new ApiError('BAD_REQUEST', 'A batch takes an idempotency key for each operation, not a header for all.', {
        hint: 'Write it as "extensions": {"idempotencyKey": "…"} of each operation.',
      })
    }
    return this.#runBatch(requested.items, caller)
  }

  /** Runs the operations of a batch one after another. The failure of one does not affect the others. */
  async #runBatch(items: readonly unknown[], caller: CallerContext): Promise<OperationResponse> {
    const { context } = caller.http
    if (items.length > 1) context?.countMore?.(items.length - 1)
    if (context !== undefined) context.onlyReads = false // any of them may write
    const budget = newResponseBudget()
    const responses: OperationResponse[] = []
    for (const item of items) {
      try {
        responses.push(await this.runner.run(readParameters(item), caller, budget))
      } catch (error) {
        const errors = this.runner.errorsOf(error, caller.http.context?.id)
        responses.push({ text: formatErrors(errors), cacheControl: null })
      }
      await setImmediate() // other requests get their turn
    }
    // A batch is a POST, so an operation of it can only say `no-store`.
    const cacheControl = responses.find((one) => one.cacheControl !== null)?.cacheControl ?? null
    const deprecated = responses.reduce<Deprecation | null>(
      (met, one) => earliestDeprecation(met, one.deprecated ?? null),
      null,
    )
    return { text: `[${responses.map(({ text }) => text).join(',')}]`, cacheControl, deprecated }
  }
}
