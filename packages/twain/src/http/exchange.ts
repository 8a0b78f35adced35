// One HTTP request: preflight, or its turn on its connection and handler → compress → write → log and metrics.
//
// 1. A request is answered once: a later reply, such as that of a handler that took too long, is dropped.
// 2. A request is logged once: when its reply is passed to the socket, or when its stream has ended.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, type Log, type MaybePromise, readTraceparent, stackOf, type Tracing, withTraceparent } from '#base'
import { type HttpReply, networkOf } from '#base/http'
import { monotonicTime, wallTime } from '#base/time'
import type { OrderedRequest } from './connection-order.ts'
import type { Connections, ConnectionUse } from './connections.ts'
import { implementedMethods, type MalformedReason, malformedReply } from './malformed-request.ts'
import { fixedRoute, type Metrics } from './metrics.ts'
import { withAbsoluteLinks } from './reply/absolute-links.ts'
import { type CompressionLoad, compress, confirmed, isCompressible } from './reply/compress.ts'
import type { Cors } from './reply/cors.ts'
import { problem } from './reply/problem.ts'
import { abandon, contentLength, isGone, writeReply } from './reply/write-reply.ts'
import { type BodyListener, IncomingRequest, type RequestDefaults } from './request/incoming-request.ts'
import type { RequestTimeouts, TimedRequest } from './request/request-timeouts.ts'
import type { ServedRequest } from './request/served-request.ts'
import type { RequestSlices, SlicedRequest } from './request-slices.ts'
import { HttpRequestSpan } from './request-span.ts'
import { failure, type HttpHandler } from './routes.ts'

/** The options and services that all requests of a server share. */
export interface ServerContext extends RequestDefaults {
  handle: HttpHandler
  log: Log
  cors: Cors | null
  /** Null: replies are not compressed. */
  compression: CompressionLoad | null
  /** The maximum length of a URL, in characters. */
  url: number
  deadlines: RequestTimeouts | null
  slices: RequestSlices
  connections: Connections
  metrics: Metrics | null
  /** Null: nothing is traced. */
  tracing: Tracing | null
  onServed: ((served: ServedRequest) => void) | null
  /** Whether each connection closes after the reply to its last request. */
  stopping: boolean
}

export class HttpExchange implements TimedRequest, BodyListener, OrderedRequest, SlicedRequest {
  readonly began = monotonicTime()
  since = this.began
  earlier: TimedRequest | null = null
  later: TimedRequest | null = null
  turn: OrderedRequest['turn'] = 'none'
  readonly #context: ServerContext
  readonly #message: IncomingMessage
  readonly #response: ServerResponse
  readonly #request: IncomingRequest
  readonly #connection: ConnectionUse
  /** Its place among the requests of its connection, from 1. */
  readonly #number: number
  /** Its small body has come, or it has none. */
  #isReady = false
  #answered = false
  /** Null where nothing is traced. */
  #span: HttpRequestSpan | null = null
  /** The server waits for the client's body, and `BodyTimeouts` measures the time. */
  #isArriving = false

  constructor(message: IncomingMessage, response: ServerResponse, expects: boolean, context: ServerContext) {
    this.#context = context
    this.#message = message
    this.#response = response
    this.#request = new IncomingRequest(message, context, expects ? response : null)
    this.#request.attendant = this
    this.#connection = context.connections.began(message.socket)
    this.#number = this.#connection.arrived
  }

  run(): void {
    const { cors, metrics, tracing } = this.#context
    metrics?.began()
    if (tracing !== null) this.#span = this.#request.context.span = new HttpRequestSpan(tracing, this.#request)
    const malformed = this.#malformedReason()
    const early =
      malformed === null ? (cors?.preflight(this.#request) ?? null) : malformedReply(malformed, this.#request)
    if (early !== null) {
      this.#send(early)
      return
    }
    const hasTurn = this.#connection.order.enter(this)
    if (!this.#request.hasSmallBody) {
      this.#isReady = true
      if (hasTurn) this.#context.slices.take(this)
      return
    }
    this.#request.takeSmall(
      hasTurn,
      () => this.#bodyTaken(),
      (error) => this.#fail(error),
    )
  }

  #bodyTaken(): void {
    if (this.#answered) return // the body arrived after the timeout
    this.since = monotonicTime()
    this.#isReady = true
    if (this.turn === 'came') this.#context.slices.take(this)
  }

  begin(): void {
    if (!this.#isReady) {
      this.#request.awaitSmall()
      return
    }
    this.since = monotonicTime()
    this.#context.slices.take(this)
  }

  get isSafe(): boolean {
    return this.#request.isSafe
  }

  get isWrite(): boolean {
    return this.#request.mayWrite
  }

  get network(): string {
    return networkOf(this.#request.address)
  }

  get connection(): object {
    return this.#connection
  }

  handle(): void {
    if (this.#answered) return // while it waited
    if (isGone(this.#response) && !this.#request.runsWithoutClient) {
      this.#answered = true
      this.#served(clientGone, null, true)
      return
    }
    try {
      const isTraced = this.#span !== null || this.#request.headers.traceparent !== undefined
      const reply = isTraced ? this.#handleTraced() : this.#context.handle(this.#request)
      if (reply instanceof Promise) this.#await(reply)
      else this.#send(reply)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** As a part of the client's trace. */
  #handleTraced(): MaybePromise<HttpReply> {
    const handle = () => this.#context.handle(this.#request)
    if (this.#span !== null) return this.#span.run(handle)
    const traceparent = readTraceparent(this.#request.headers.traceparent)
    return traceparent === null ? handle() : withTraceparent(traceparent, handle)
  }

  /** Only an asynchronous reply can time out. */
  #await(reply: Promise<HttpReply>): void {
    if (!this.#isArriving) this.#context.deadlines?.add(this)
    reply.then(
      (settled) => this.#send(settled),
      (error) => this.#fail(error),
    )
  }

  #malformedReason(): MalformedReason | null {
    if ((this.#message.url ?? '').length > this.#context.url) return 'url_too_long'
    return implementedMethods.has(this.#request.method) ? this.#request.headerProblem : 'unknown_method'
  }

  refuse(reason: MalformedReason): void {
    this.#context.metrics?.began()
    this.#send(malformedReply(reason, this.#request))
  }

  expire(): void {
    this.#request.unwanted ||= !this.#message.complete
    const { method = '' } = this.#message
    this.#fail(timeoutError(this.#request.context.onlyReads ?? ['GET', 'HEAD'].includes(method)))
  }

  bodyAwaited(): void {
    this.#isArriving = true
    this.#context.deadlines?.delete(this)
  }

  bodyCame(): void {
    if (!this.#isArriving) return
    this.#isArriving = false
    this.since = monotonicTime()
    if (!this.#answered) this.#context.deadlines?.add(this)
  }

  bodyTooSlow(): void {
    this.#request.unwanted = true
    this.#send(malformedReply('timeout', this.#request))
  }

  #fail(error: unknown): void {
    this.#send(failure(error, this.#request, this.#context.log))
  }

  #send(reply: HttpReply): void {
    this.#context.deadlines?.delete(this)
    if (this.#answered) {
      abandon(reply)
      return
    }
    this.#answered = true
    const { compression } = this.#context
    const compressed = compression === null ? reply : this.#compress(reply, compression)
    if (!(compressed instanceof Promise)) {
      this.#put(compressed)
      return
    }
    compressed.then(
      (ready) => this.#put(ready),
      (error) => this.#broken(error),
    )
  }

  #compress(reply: HttpReply, load: CompressionLoad): MaybePromise<HttpReply> {
    if (!isCompressible(reply)) return reply
    this.#request.context.responseHeaders.push('vary', 'accept-encoding')
    return reply.status === 304 ? confirmed(reply, this.#request) : compress(reply, this.#request, load)
  }

  #put(answered: HttpReply): void {
    const { origin, basePath } = this.#request
    const prefix = origin === null ? basePath : origin + basePath
    const reply = prefix === '' ? answered : withAbsoluteLinks(answered, prefix)
    const bytes = contentLength(reply, this.#message.method === 'HEAD')
    const aborted = isGone(this.#response)
    try {
      const { unwanted } = this.#request
      // Node sends nothing after a reply with `Connection: close`, so only that to the last request has it.
      const last = this.#context.stopping && this.#number === this.#connection.arrived
      const sending = { fields: this.#fields(), length: bytes, last, unwanted }
      const stream = writeReply(this.#response, reply, sending)
      this.#request.dropRest()
      if (stream === null) {
        if (this.#response.writableLength > 0) this.#context.connections.unsent(this.#response)
        this.#served(reply.status, bytes, aborted)
      } else {
        this.#context.connections.streams(this.#response, stream)
        stream.sent.then(
          () => this.#served(reply.status, null, aborted),
          (error) => this.#broken(error),
        )
      }
    } catch (error) {
      this.#broken(error)
    }
  }

  /** A reply that Node refuses to write, such as one with a line break in a header, is a bug of the API. */
  #broken(error: unknown): void {
    const { log } = this.#context
    const { id } = this.#request.context
    if (this.#response.headersSent) {
      log.error({ 'exception.stacktrace': stackOf(error), request_id: id }, 'response failed while it was sent')
      this.#response.destroy()
      this.#served(500, null, true)
      return
    }
    const reply = problem(error, this.#request, log)
    const length = contentLength(reply, false)
    writeReply(this.#response, reply, { fields: ['x-request-id', id], length, last: true, unwanted: false })
    this.#served(reply.status, length, false)
  }

  #fields(): string[] {
    const { responseHeaders: fields, id, stages, sendsStages = this.#context.timing } = this.#request.context
    fields.push('x-request-id', id)
    if (sendsStages && stages !== null) fields.push('server-timing', stages.toHeader())
    const { cors } = this.#context
    if (cors !== null) fields.push(...cors.fields(this.#request))
    return fields
  }

  #served(status: number, bytes: number | null, aborted: boolean): void {
    const now = monotonicTime()
    this.#record(status, bytes, aborted, now)
    this.#context.connections.ended(this.#connection, this, now)
  }

  #record(status: number, bytes: number | null, aborted: boolean, now: number): void {
    const { metrics, onServed } = this.#context
    if (metrics === null && onServed === null && this.#span === null) return
    const { method, path, basePath, isOutsideBase, address, headers, context } = this.#request
    const milliseconds = now - this.began
    const { id, viewer, actor, stages, route } = context
    metrics?.ended(isOutsideBase ? '/' : path, method, status, milliseconds, route)
    const traceparent = this.#span?.traceparent ?? readTraceparent(headers.traceparent)
    this.#span?.end(status, route ?? fixedRoute(path), id)
    onServed?.({
      id,
      at: wallTime(),
      method,
      path: basePath + path,
      status,
      milliseconds,
      bytes,
      address,
      viewer,
      actor,
      traceparent,
      stages: this.#context.timing ? stages : null,
      aborted,
    })
  }
}

/** For the log and the metrics: the client went before its request began. HTTP has no such status; nginx uses this one. */
const clientGone = 499

/** After a timeout the server does not know whether a write was committed, and the message says so. */
function timeoutError(isRead: boolean): ApiError {
  const unknown = isRead ? '' : ' It is unknown whether the change was made.'
  return new ApiError('UNAVAILABLE', `The request timed out.${unknown}`, {
    hint: 'The setting limits.timeSeconds is the time limit of a request.',
    headers: { 'retry-after': '5' },
  })
}
