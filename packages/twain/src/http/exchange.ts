// One request on its way through the floor: preflight or door → compress → write → tell the log and the metrics.
//
// 1. It is answered once: what comes after the first answer, such as a door that took too long, is dropped.
// 2. It is told of once, when its answer is handed to the socket, or a stream is through.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, type HttpReply, type Log, type MaybePromise, type ServerTiming, stackOf } from '#base'
import { compress, confirmed, isCompressible } from './compress.ts'
import type { Connections } from './connections.ts'
import type { Cors } from './cors.ts'
import { type BodyListener, IncomingRequest, type RequestDefaults } from './incoming-request.ts'
import { type MalformedReason, malformedReply } from './malformed-request.ts'
import type { Metrics } from './metrics.ts'
import { problem } from './problem.ts'
import { traceOf } from './request-id.ts'
import type { RequestTimeouts, TimedRequest } from './request-timeouts.ts'
import { failure, type HttpHandler } from './routes.ts'
import { abandon, contentLength, writeReply } from './write-reply.ts'

/** What the log tells of a request. */
export interface ServedRequest {
  id: string
  /** As `Date.now` counts: when it was answered. */
  at: number
  /** This and the path are `-` where no request could be read. */
  method: string
  path: string
  status: number
  milliseconds: number
  /** Of the body; null for a stream. */
  bytes: number | null
  address: string
  /** An account, a token or a key; null for someone unknown. */
  viewer: string | null
  traceparent: string | null
  /** What each stage took; null where they are not timed. */
  stages: ServerTiming | null
  /** The client went away before its answer. */
  aborted: boolean
}

/** What is the same for all requests of a server. */
export interface ServerContext extends RequestDefaults {
  handle: HttpHandler
  log: Log
  cors: Cors | null
  compress: boolean
  /** Characters of a URL. */
  url: number
  deadlines: RequestTimeouts | null
  connections: Connections
  metrics: Metrics | null
  onServed: ((served: ServedRequest) => void) | null
  /** Whether the connections end with their next answer. */
  stopping: boolean
}

export class HttpExchange implements TimedRequest, BodyListener {
  readonly began = performance.now()
  since = this.began
  earlier: TimedRequest | null = null
  later: TimedRequest | null = null
  readonly #floor: ServerContext
  readonly #message: IncomingMessage
  readonly #response: ServerResponse
  readonly #request: IncomingRequest
  #answered = false
  /** The sender's turn, whose time is counted by `arrivals.ts`. */
  #isArriving = false

  constructor(message: IncomingMessage, response: ServerResponse, expects: boolean, context: ServerContext) {
    this.#floor = context
    this.#message = message
    this.#response = response
    this.#request = new IncomingRequest(message, context, expects ? response : null)
    this.#request.attendant = this
    context.connections.began(message.socket)
  }

  run(): void {
    const { cors, url, metrics } = this.#floor
    metrics?.began()
    const wrong = this.#wrong(url)
    const early = wrong === null ? (cors?.preflight(this.#request) ?? null) : malformedReply(wrong)
    if (early !== null) {
      this.#send(early)
      return
    }
    if (!this.#request.hasSmallBody) {
      this.#handle()
      return
    }
    this.#request.takeSmall(
      () => this.#bodyTaken(),
      (error) => this.#fail(error),
    )
  }

  #bodyTaken(): void {
    if (this.#answered) return // it came too late
    this.since = performance.now()
    this.#handle()
  }

  #handle(): void {
    try {
      const reply = this.#floor.handle(this.#request)
      if (reply instanceof Promise) this.#await(reply)
      else this.#send(reply)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Only what is waited for can come too late. */
  #await(reply: Promise<HttpReply>): void {
    if (!this.#isArriving) this.#floor.deadlines?.add(this)
    reply.then(
      (there) => this.#send(there),
      (error) => this.#fail(error),
    )
  }

  #wrong(longest: number): MalformedReason | null {
    const { url = '', headers, httpVersion } = this.#message
    if (url.length > longest) return 'url_too_long'
    return headers.host === undefined && httpVersion === '1.1' ? 'missing_host' : null
  }

  refuse(reason: MalformedReason): void {
    this.#floor.metrics?.began()
    this.#send(malformedReply(reason))
  }

  expire(): void {
    this.#request.unwanted ||= !this.#message.complete
    this.#fail(tookTooLong(this.#message.method))
  }

  bodyAwaited(): void {
    this.#isArriving = true
    this.#floor.deadlines?.delete(this)
  }

  bodyCame(): void {
    if (!this.#isArriving) return
    this.#isArriving = false
    this.since = performance.now()
    if (!this.#answered) this.#floor.deadlines?.add(this)
  }

  bodyTooSlow(): void {
    this.#request.unwanted = true
    this.#send(malformedReply('timeout'))
  }

  #fail(error: unknown): void {
    this.#send(failure(error, this.#request, this.#floor.log))
  }

  #send(reply: HttpReply): void {
    this.#floor.deadlines?.delete(this)
    if (this.#answered) {
      abandon(reply)
      return
    }
    this.#answered = true
    const compressed = this.#floor.compress ? this.#compress(reply) : reply
    if (!(compressed instanceof Promise)) {
      this.#put(compressed)
      return
    }
    compressed.then(
      (ready) => this.#put(ready),
      (error) => this.#broken(error),
    )
  }

  #compress(reply: HttpReply): MaybePromise<HttpReply> {
    const isConfirmed = reply.status === 304 // it says of the answer that the client has what that said (RFC 9110, 15.4.5)
    if (!isConfirmed && !isCompressible(reply)) return reply
    this.#request.context.responseHeaders.push('vary', 'accept-encoding')
    return isConfirmed ? confirmed(reply, this.#request) : compress(reply, this.#request)
  }

  #put(reply: HttpReply): void {
    const bytes = contentLength(reply, this.#message.method === 'HEAD')
    const aborted = this.#response.destroyed
    try {
      const { unwanted } = this.#request
      const sending = { fields: this.#fields(), length: bytes, last: this.#floor.stopping, unwanted }
      const sent = writeReply(this.#response, reply, sending)
      this.#request.dropRest()
      if (sent === undefined) this.#served(reply.status, bytes, aborted)
      else {
        sent.then(
          () => this.#served(reply.status, null, aborted),
          (error) => this.#broken(error),
        )
      }
    } catch (error) {
      this.#broken(error)
    }
  }

  /** A reply that can't be put on the wire, such as one with a line break in a header, is a bug of a door. */
  #broken(error: unknown): void {
    const { log } = this.#floor
    const { id } = this.#request.context
    if (this.#response.headersSent) {
      log.error({ 'exception.stacktrace': stackOf(error), request_id: id }, 'response failed while it was sent')
      this.#response.destroy()
      this.#served(500, null, true)
      return
    }
    const reply = problem(error, log)
    const length = contentLength(reply, false)
    writeReply(this.#response, reply, { fields: ['x-request-id', id], length, last: true, unwanted: false })
    this.#served(reply.status, length, false)
  }

  #fields(): string[] {
    const { responseHeaders: fields, id, stages } = this.#request.context
    fields.push('x-request-id', id)
    if (stages !== null) fields.push('server-timing', stages.toHeader())
    const { cors } = this.#floor
    if (cors !== null) fields.push(...cors.fields(this.#request))
    return fields
  }

  #served(status: number, bytes: number | null, aborted: boolean): void {
    const { connections, metrics, onServed } = this.#floor
    const now = performance.now()
    connections.ended(this.#message.socket, now)
    if (metrics === null && onServed === null) return
    const { method, path, address, headers, context } = this.#request
    const milliseconds = now - this.began
    metrics?.ended(path, method, status, milliseconds)
    const { id, viewer, stages } = context
    const traceparent = traceOf(headers.traceparent)
    onServed?.({
      id,
      at: Date.now(),
      method,
      path,
      status,
      milliseconds,
      bytes,
      address,
      viewer,
      traceparent,
      stages,
      aborted,
    })
  }
}

/** Whether a write was made is not known, and is not told as if it were. */
function tookTooLong(method: string | undefined): ApiError {
  const isRead = method === 'GET' || method === 'HEAD'
  const unknown = isRead ? '' : ' Whether what it asks for was done is not known.'
  return new ApiError('UNAVAILABLE', `The answer was not there in time.${unknown}`, {
    hint: 'The setting limits.timeSeconds says how long one may take.',
    headers: { 'retry-after': '5' },
  })
}
