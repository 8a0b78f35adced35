// The GraphQL door on one screen: read the request → its operations, one after another (`operations.ts`) → reply.

import { setImmediate } from 'node:timers/promises'
import type { Tokens } from '#auth'
import {
  ApiError,
  type ApiHandler,
  andThen,
  type Gauge,
  type HttpReply,
  type HttpRequest,
  type MaybePromise,
  readIdempotencyKey,
  recoverWith,
  type Viewer,
} from '#base'
import type { Engine } from '#engine'
import type { Events, Webhooks } from '#events'
import type { Files } from '#files'
import { type Deprecation, earliestDeprecation } from '#plan/explain'
import type { TrustedDocuments } from './document/persisted-documents.ts'
import { RequestErrors, type ResponseError, type UnexpectedErrorHandler } from './document/response-errors.ts'
import { ResponseCaching } from './execute/cache-control.ts'
import { newResponseBudget } from './execute/execute.ts'
import { formatErrors } from './execute/format.ts'
import type { OperationOutcome } from './execute/subscription.ts'
import { type CallerContext, type OperationResponse, OperationRunner } from './operation-runner.ts'
import {
  graphqlMethods,
  type RequestedOperations,
  readBody,
  readHttpRequest,
  readParameters,
} from './transport/http-request.ts'
import { chooseMediaType, type MediaType } from './transport/media-type.ts'
import { isUpload, readUploads } from './transport/multipart.ts'
import { type ReplyHeaders, reply, textReply } from './transport/reply.ts'
import { isStreamed, streamEvents, streamResponse } from './transport/sse.ts'

export interface GraphqlOptions {
  /** Told of every error that is not a Fault, with the id that the answer shows. Left out: such an error is thrown. */
  onError?: UnexpectedErrorHandler
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
export function createGraphql(engine: Engine, tokens: Tokens | null, options: GraphqlOptions = {}): ApiHandler {
  return openGraphql(engine, tokens, options).answer
}

/** The same door for requests, and what lines need of it (`socket/lines.ts`). */
export interface GraphqlApi {
  answer: ApiHandler
  /** One operation that may stay open. Rejects with what `errorsOf` tells. */
  start(payload: unknown, request: HttpRequest, viewer: Viewer): Promise<OperationOutcome>
  errorsOf(error: unknown): readonly ResponseError[]
}

export function openGraphql(engine: Engine, tokens: Tokens | null, options: GraphqlOptions = {}): GraphqlApi {
  const api = new GraphqlAdapter(engine, tokens, options)
  options.gauges?.push(...api.runner.gauges())
  return {
    answer: (request, viewer) => api.answer(request, viewer),
    start: async (payload, request, viewer) => {
      const http = { ...request, method: 'POST' } // no page of another site opens a line unasked, so that it may write
      return api.runner.start(readParameters(payload, 'The payload'), { http, viewer, uploads: null })
    },
    errorsOf: (error) => api.runner.errorsOf(error),
  }
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
    const caching = this.#caching.headers(request.method)
    return recoverWith(
      () => {
        const chosen = chooseMediaType(request.headers.accept)
        if (chosen === 'text/event-stream') return this.#stream(request, viewer)
        media = chosen
        if (isUpload(request)) return this.#upload(request, viewer, media, caching)
        return andThen(readHttpRequest(request, this.#engine.limits), (asked) =>
          andThen(this.#run(asked, { http: request, viewer, uploads: null }), (done) =>
            reply(request, media, done, caching),
          ),
        )
      },
      (error) => this.#errorReply(error, request, media, caching),
    )
  }

  async #upload(request: HttpRequest, viewer: Viewer, media: MediaType, caching: ReplyHeaders): Promise<HttpReply> {
    const { limits } = this.#engine
    const uploads = await readUploads(request, viewer, this.#files, limits)
    try {
      const asked = readBody(uploads.operations, limits, '"operations"')
      return reply(request, media, await this.#run(asked, { http: request, viewer, uploads }), caching)
    } finally {
      await uploads.release()
    }
  }

  /** One operation as an event stream (graphql-sse, distinct connections mode). */
  async #stream(request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    const asked = await readHttpRequest(request, this.#engine.limits)
    if (asked.kind === 'batch')
      throw new ApiError('BAD_REQUEST', 'An event stream is of one operation, not of a batch.')
    if (this.#events === null) throw new Error('nothing is told of changes here')
    const operated = await this.runner.start(asked.request, { http: request, viewer, uploads: null })
    const errorText = (error: ApiError) => formatErrors(this.runner.errorsOf(error, request.context?.id))
    return operated.kind === 'answer'
      ? streamResponse(operated.text)
      : await streamEvents(operated, request, viewer, this.#events, errorText)
  }

  #errorReply(error: unknown, request: HttpRequest, media: MediaType, caching: ReplyHeaders): HttpReply {
    const errors = formatErrors(this.runner.errorsOf(error, request.context?.id))
    // The document or its variables are wrong: a GraphQL response of its own, which application/json says with 200
    // (GraphQL over HTTP, section 6.4).
    if (error instanceof RequestErrors)
      return textReply(media === 'application/json' && !isStreamed(request) ? 200 : 400, media, errors, caching)
    const { status, headers } = error instanceof ApiError ? error : { status: 500, headers: {} }
    return textReply(status, media, errors, { ...caching, ...headers })
  }

  #run(asked: RequestedOperations, asking: CallerContext): MaybePromise<OperationResponse> {
    const key = readIdempotencyKey(asking.http.headers['idempotency-key'])
    if (asked.kind === 'one') {
      const { request } = asked
      const keyed = key === null || request.idempotencyKey !== null ? request : { ...request, idempotencyKey: key }
      return this.runner.run(keyed, asking, newResponseBudget())
    }
    if (key !== null) {
      throw new ApiError('BAD_REQUEST', 'A batch has a key for each operation, not a header for all.', {
        hint: 'Write it as "extensions": {"idempotencyKey": "…"} of each operation.',
      })
    }
    return this.#runBatch(asked.items, asking)
  }

  /** A batch: one after another, answered in order, each for itself. What one of them fails with harms no other. */
  async #runBatch(items: readonly unknown[], asking: CallerContext): Promise<OperationResponse> {
    if (items.length > 1) asking.http.context?.countMore?.(items.length - 1)
    const room = newResponseBudget()
    const done: OperationResponse[] = []
    for (const item of items) {
      try {
        done.push(await this.runner.run(readParameters(item), asking, room))
      } catch (error) {
        done.push({ text: formatErrors(this.runner.errorsOf(error, asking.http.context?.id)), cacheControl: null })
      }
      await setImmediate() // other requests get their turn
    }
    // A POST: what one of them says of its answer, if anything, is that nobody keeps it.
    const control = done.find((one) => one.cacheControl !== null)?.cacheControl ?? null
    const deprecated = done.reduce<Deprecation | null>(
      (met, one) => earliestDeprecation(met, one.deprecated ?? null),
      null,
    )
    return { text: `[${done.map(({ text }) => text).join(',')}]`, cacheControl: control, deprecated }
  }
}
