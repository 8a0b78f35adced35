// Wraps a request of node:http in the plain `HttpRequest` that the APIs take. It reads the body only on demand.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, type MaybePromise, type Tracing } from '#base'
import { type HttpRequest, prefersAsync, type RequestContext, ServerTiming, TracedTiming } from '#base/http'
import { pathBelow } from './base-path.ts'
import type { BodyTimeout, BodyTimeouts } from './body-timeouts.ts'
import type { Proxies } from './proxy.ts'
import type { PublicOrigins } from './public-origins.ts'
import { requestId } from './request-id.ts'

const emptyBody = new Uint8Array(0)

/** A body up to this size usually arrives in one packet with its header. */
const smallBodyBytes = 16_384

/** The options that all requests of a server share. */
export interface RequestDefaults {
  /** The largest body in bytes; 0 is no limit. */
  body: number
  maxHeaderBytes: number
  arrivals: BodyTimeouts
  proxies: Proxies | null
  /** Empty: the APIs are at the root. */
  basePath: string
  origins: PublicOrigins
  /** Whether `Host` must be the name of a public origin, `localhost` or a literal address. */
  checksHost: boolean
  /** Whether replies and the log have the times of stages. */
  timing: boolean
  tracing: Tracing | null
}

/** Learns when the server starts to wait for the client's body and when it has it, to run the right timeout. */
export interface BodyListener {
  bodyAwaited(): void
  bodyCame(): void
  bodyTooSlow(): void
}

export class IncomingRequest implements HttpRequest {
  readonly method: string
  readonly path: string
  readonly basePath: string
  readonly isOutsideBase: boolean
  readonly query: string
  readonly headers: HttpRequest['headers']
  readonly address: string
  readonly origin: string | null
  /** The origin that the client used, if a trusted proxy sends it. */
  readonly forwardedOrigin: string | null
  readonly context: RequestContext
  /** The server will not read the rest of the body (too large, or not needed), so the connection can't be reused. */
  unwanted: boolean
  attendant: BodyListener | null = null
  isStreamed = false
  readonly #message: IncomingMessage
  readonly #host: string | undefined
  readonly #checkedBy: PublicOrigins | null
  readonly #limit: number
  readonly #maxHeaderBytes: number
  readonly #arrivals: BodyTimeouts
  /** Set while the client waits for `100 Continue` before it sends the body (RFC 9110, 10.1.1). */
  #waiting: ServerResponse | null
  /** The whole body, once it is read: a request that is performed again has it. */
  #taken: Uint8Array | null = null
  /** Of the body that `takeSmall` reads. */
  #smallArrival: BodyTimeout | null = null

  constructor(message: IncomingMessage, reception: RequestDefaults, waiting: ServerResponse | null) {
    const { body, proxies, basePath, origins, checksHost } = reception
    const { target, authority } = originForm(message.url ?? '/')
    const mark = target.indexOf('?')
    this.method = message.method ?? 'GET'
    const path = mark === -1 ? target : target.slice(0, mark)
    const below = basePath === '' || anyHostPaths.has(path) ? path : pathBelow(path, basePath)
    this.path = below ?? path
    this.basePath = below === null ? '' : basePath
    this.isOutsideBase = below === null
    this.query = mark === -1 ? '' : target.slice(mark + 1)
    this.headers = message.headers as HttpRequest['headers'] // only `set-cookie` would be a list, and no client sends it
    const address = message.socket.remoteAddress ?? ''
    const client = proxies?.clientOf(address, this.headers)
    this.address = client?.address ?? address
    this.forwardedOrigin = client?.origin ?? null
    this.#host = authority ?? client?.host ?? this.headers.host
    this.origin = origins.linkOrigin(this.#host)
    this.#checkedBy = checksHost ? origins : null
    this.context = {
      id: requestId(this.headers['x-request-id']),
      responseHeaders: [],
      viewer: null,
      route: null,
      span: null,
      stages: stagesOf(reception),
      countMore: null,
      reauthenticate: null,
      eventIdSuffix: '',
      client: this.address,
      address: this.address,
      connection: message.socket,
      passwords: 0,
    }
    this.unwanted = waiting !== null
    this.#message = message
    this.#limit = body
    this.#maxHeaderBytes = reception.maxHeaderBytes
    this.#arrivals = reception.arrivals
    this.#waiting = waiting
  }

  get headerProblem(): HeaderProblem | null {
    const { rawHeaders, httpVersion, httpVersionMajor } = this.#message
    const { bytes, hosts, authorizations } = measureHeader(rawHeaders)
    if (httpVersionMajor > 1) return 'unknown_version'
    if (bytes > this.#maxHeaderBytes) return 'header_too_large'
    if (this.#host === undefined) return httpVersion === '1.1' ? 'missing_host' : null
    if (hosts > 1) return 'several_hosts'
    if (authorizations > 1) return 'several_authorizations'
    if (this.#checkedBy === null || this.#checkedBy.admits(this.#host)) return null
    return anyHostPaths.has(this.path) ? null : 'wrong_host'
  }

  get localOrigin(): string {
    const { localAddress = '127.0.0.1', localPort } = this.#message.socket
    const address = localAddress.replace(/^::ffff:/, '')
    return `http://${address.includes(':') ? `[${address}]` : address}:${localPort}`
  }

  /** RFC 9110, 9.2.1. */
  get isSafe(): boolean {
    return this.method === 'GET' || this.method === 'HEAD' || this.method === 'OPTIONS'
  }

  /** Whether it writes, as far as can be told at a glance: a GraphQL document with this word may be a query after all. */
  get mayWrite(): boolean {
    if (this.isSafe) return false
    if (this.path !== '/graphql') return true
    return this.#contains('mutation')
  }

  #contains(word: string): boolean {
    const body = this.#taken
    return body !== null && Buffer.from(body.buffer, body.byteOffset, body.length).includes(word)
  }

  /** Whether it is made even if its client has gone before it begins: the client asks for its outcome later. */
  get runsWithoutClient(): boolean {
    if (this.isSafe) return false
    if (this.headers['idempotency-key'] !== undefined || prefersAsync(this)) return true
    return this.path === '/graphql' && (this.#taken === null || this.#contains('idempotencyKey'))
  }

  /** Whether the body is small enough to be read before the handler runs (`takeSmall`). */
  get hasSmallBody(): boolean {
    const length = this.headers['content-length']
    if (length === undefined || this.#waiting !== null || this.headers['content-encoding'] !== undefined) return false
    return Number(length) <= (this.#limit > 0 ? Math.min(smallBodyBytes, this.#limit) : smallBodyBytes)
  }

  /** Reads the body before the handler runs, so that the handler need not await it: an await would cost as much as most
   *  requests. Calls one of the two functions later. Without `isAwaited` its timeout begins with `awaitSmall`. */
  takeSmall(isAwaited: boolean, taken: () => void, failed: (error: unknown) => void): void {
    const arrival = this.#arrivals.begin(() => this.attendant?.bodyTooSlow())
    arrival.isAwaited = isAwaited
    this.#smallArrival = arrival
    const received = (bytes: Uint8Array) => {
      this.#arrivals.end(arrival)
      this.#taken = bytes
      taken()
    }
    this.#collect(arrival, received, (error) => {
      this.#arrivals.end(arrival)
      failed(error)
    })
  }

  awaitSmall(): void {
    if (this.#smallArrival !== null) this.#smallArrival.isAwaited = true
  }

  body(): MaybePromise<Uint8Array> {
    if (this.#taken !== null) return this.#taken
    if (!this.#hasBody) return emptyBody
    if (this.#isEncoded()) return Promise.reject(encoded())
    if (this.#isAnnouncedOver(this.#limit)) return Promise.reject(tooLarge(this.#limit, 'limits.bodyBytes'))
    this.#want()
    if (this.#message.destroyed) return Promise.reject(brokenOff()) // no event will follow
    return new Promise((resolve, reject) => {
      const arrival = this.#begin()
      const received = (bytes: Uint8Array) => {
        this.#end(arrival)
        this.#taken = bytes
        resolve(bytes)
      }
      this.#collect(arrival, received, (error) => {
        this.#end(arrival)
        reject(error)
      })
    })
  }

  async *stream(limit: number, setting = 'limits.uploadBytes'): AsyncIterable<Uint8Array> {
    if (!this.#hasBody) return
    if (this.#isEncoded()) throw encoded()
    if (this.#isAnnouncedOver(limit)) throw tooLarge(limit, setting)
    if (this.#taken !== null) {
      yield this.#taken
      return
    }
    this.isStreamed = true
    this.#want()
    let size = 0
    const arrival = this.#begin()
    try {
      // A consumer that stops early must not destroy the message: the reply still has to be sent.
      for await (const chunk of this.#message.iterator({ destroyOnReturn: false })) {
        size += (chunk as Uint8Array).length
        if (limit > 0 && size > limit) throw tooLarge(limit, setting)
        this.#hand(arrival, (chunk as Uint8Array).length)
        yield chunk as Uint8Array
        this.#await(arrival)
      }
    } catch (error) {
      throw error instanceof ApiError ? error : brokenOff()
    } finally {
      this.#end(arrival)
      this.unwanted = !this.#message.complete
    }
  }

  /** Drops the rest of the body after the reply, with a timeout: a slow client would keep the connection open forever. */
  dropRest(): void {
    const message = this.#message
    if (message.complete || this.unwanted || !this.#hasBody) return
    const arrival = this.#arrivals.begin(() => message.socket.destroy())
    message.once('close', () => this.#arrivals.end(arrival))
  }

  get #hasBody(): boolean {
    return this.headers['content-length'] !== undefined || this.headers['transfer-encoding'] !== undefined
  }

  /** A small compressed body may be huge when it is decompressed. */
  #isEncoded(): boolean {
    const coding = this.headers['content-encoding']
    const isEncoded = coding !== undefined && coding.toLowerCase() !== 'identity'
    if (isEncoded) this.unwanted = true
    return isEncoded
  }

  #isAnnouncedOver(limit: number): boolean {
    const isOver = limit > 0 && Number(this.headers['content-length']) > limit
    if (isOver) this.unwanted = true
    return isOver
  }

  #want(): void {
    this.#waiting?.writeContinue()
    this.#waiting = null
    this.unwanted = false
  }

  #collect(arrival: BodyTimeout, received: (bytes: Uint8Array) => void, failed: (error: ApiError) => void): void {
    const message = this.#message
    const chunks: Uint8Array[] = []
    let size = 0
    const take = (chunk: Uint8Array) => {
      size += chunk.length
      arrival.came(chunk.length)
      if (this.#limit > 0 && size > this.#limit) {
        this.unwanted = true
        message.off('data', take)
        chunks.length = 0
        return failed(tooLarge(this.#limit, 'limits.bodyBytes'))
      }
      chunks.push(chunk)
    }
    message.on('data', take)
    message.on('end', () => received(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    message.on('error', () => failed(brokenOff()))
  }

  #begin(): BodyTimeout {
    this.attendant?.bodyAwaited()
    return this.#arrivals.begin(() => this.attendant?.bodyTooSlow())
  }

  #await(arrival: BodyTimeout): void {
    arrival.isAwaited = true
    this.attendant?.bodyAwaited()
  }

  #hand(arrival: BodyTimeout, bytes: number): void {
    arrival.came(bytes)
    arrival.isAwaited = false
    this.attendant?.bodyCame()
  }

  #end(arrival: BodyTimeout): void {
    this.#arrivals.end(arrival)
    this.attendant?.bodyCame()
  }
}

type HeaderProblem =
  | 'unknown_version'
  | 'header_too_large'
  | 'missing_host'
  | 'several_hosts'
  | 'several_authorizations'
  | 'wrong_host'

/** Monitors call these by the address of a node, whatever name they give it. */
const anyHostPaths = new Set(['/healthz', '/readyz', '/metrics'])

/** The bytes of a header, and its `Host` and `Authorization` fields: Node keeps the first of several; another server on the way may
 *  use the last. */
function measureHeader(rawHeaders: readonly string[]): { bytes: number; hosts: number; authorizations: number } {
  let hosts = 0
  let authorizations = 0
  let bytes = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    bytes += name.length + rawHeaders[at + 1]!.length + fieldOverhead
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations++
  }
  return { bytes, hosts, authorizations }
}

/** The colon, a space and the line break of a field. */
const fieldOverhead = 4

/** A request target may be an absolute URI (RFC 9112, 3.2.2). The server uses its path and query, and its name counts in the
 *  place of `Host`. */
function originForm(url: string): { target: string; authority: string | undefined } {
  if (url.charCodeAt(0) === 47 /* / */) return { target: url, authority: undefined }
  const absolute = /^https?:\/\/([^/?#]*)/i.exec(url)
  if (absolute === null) return { target: url, authority: undefined }
  const rest = url.slice(absolute[0].length)
  return { target: rest.startsWith('/') ? rest : `/${rest}`, authority: absolute[1] }
}

function tooLarge(limit: number, setting: string): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`, {
    hint: `The setting ${setting} is the largest size of a body.`,
  })
}

/** RFC 9110, 15.5.16: the header lists the accepted codings. */
function encoded(): ApiError {
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Compressed request bodies are not supported.', {
    hint: 'Send the body uncompressed, without Content-Encoding.',
    headers: { 'accept-encoding': 'identity' },
  })
}

function brokenOff(): ApiError {
  return new ApiError('BAD_REQUEST', 'The connection closed before the body was complete.')
}

function stagesOf({ timing, tracing }: RequestDefaults): ServerTiming | null {
  if (tracing !== null) return new TracedTiming(tracing)
  return timing ? new ServerTiming() : null
}
