// Plain request and reply shapes. Adapters use these and never a socket, so tests call them without a port.

import type { MaybePromise } from '../maybe-promise.ts'
import type { RequestSpan } from '../tracing/tracing.ts'
import type { ServerTiming } from './server-timing.ts'
import type { Viewer } from './viewer.ts'

export interface HttpRequest {
  method: string
  /** The path as sent: percent-encoded, without the query and without `basePath`. */
  path: string
  /** The path below which the APIs are, such as `/api` (`http.basePath`); absent or empty: the root. */
  basePath?: string
  /** The path is not below the base path, so that it is none of an API. */
  isOutsideBase?: boolean
  /** The query string without `?`; empty when there is none. */
  query: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  /** The client's IP address: the peer of the socket, or the one behind trusted proxies. */
  address: string
  /** The public origin of the service, `https://api.example.org` (`http.origin`); null: it is not known. */
  origin?: string | null
  /** The address and port at which the server got the request. */
  localOrigin?: string
  /** Absent for requests without a socket. */
  context?: RequestContext
  /** Whether the body was read as a stream: then the request can't be performed again. */
  readonly isStreamed?: boolean
  /** Reads the body. Throws `PAYLOAD_TOO_LARGE` above the limit. */
  body(): MaybePromise<Uint8Array>
  /** Streams the body, once and instead of `body`. Throws `PAYLOAD_TOO_LARGE` above `limit` bytes; 0 is no limit. `setting` is the
   *  setting that has the limit; absent: that of uploads. */
  stream(limit: number, setting?: string): AsyncIterable<Uint8Array>
  /** What the body would have as JSON, in a request from the same process, which has no body then. */
  value?: unknown
}

/** The client of a request, for work that is limited by client. */
export interface RequestCaller {
  /** See `clientKey`. */
  client: string
  /** The client's IP address. */
  readonly address: string
  /** The client's connection; null: the request has none. */
  readonly connection: { readonly destroyed: boolean } | null
  /** How many passwords the request has set so far. */
  passwords: number
}

/** What the HTTP server and the adapters share about one request, beside its reply. */
export interface RequestContext extends RequestCaller {
  /** The request id: in the response, in the log, and the client's own where it sent one. */
  readonly id: string
  /** Header fields of the response, also of a failed one: a flat list of names and values. */
  readonly responseHeaders: string[]
  /** The account, token or key for the log; null for an anonymous viewer. */
  viewer: string | null
  /** Who acts as the viewer, for the log; missing: the viewer. */
  actor?: string
  /** The template of the path, `/posts/{id}`; null: it is no path of the REST API. */
  route: string | null
  /** Whether it changes nothing, where the method does not say so: a GraphQL query by POST. */
  onlyReads?: boolean
  /** The span of the request; null where nothing is traced. */
  span: RequestSpan | null
  /** Null where stages are not measured. */
  stages: ServerTiming | null
  /** Whether the answer has them, also without the setting `http.serverTiming`. */
  sendsStages?: true
  /** Counts the further requests of a batch; throws TOO_MANY_REQUESTS. Null: no rate limit. */
  countMore: ((requests: number) => void) | null
  /** Authenticates an open stream again; throws when its viewer is no longer valid. Null: not authenticated. */
  reauthenticate: (() => MaybePromise<Viewer>) | null
  /** Suffix of the event ids of a stream with a ticket, which identifies the stream when it reconnects. */
  eventIdSuffix: string
}

/** A body that is produced while it is sent. It ends early when the client disconnects. */
export type BodyStream = AsyncIterable<string | Uint8Array> & {
  /** How much of it waits in memory for the client. */
  readonly waitingSize?: number
}

export interface HttpReply {
  status: number
  headers: Record<string, string | string[]>
  body: string | Uint8Array | BodyStream | null
  /** Of a 304: the representation that the client has, which decides whether `Vary` names `accept-encoding`. */
  confirms?: ConfirmedRepresentation
}

interface ConfirmedRepresentation {
  type: string
  /** Null: it is streamed. */
  length: number | null
}

/** The client has the representation. The headers are those of the 200 (RFC 9110, 15.4.5). */
export function notModified(headers: HttpReply['headers'], confirms: ConfirmedRepresentation): HttpReply {
  return { status: 304, headers, body: null, confirms }
}

export function isStream(body: HttpReply['body']): body is BodyStream {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/** An API adapter: answers a request of a viewer. */
export type ApiHandler = (request: HttpRequest, viewer: Viewer) => MaybePromise<HttpReply>

/** A permanent redirect to another path of this server: 301 for GET and HEAD; 308 keeps any other method (RFC 9110, 15.4.2 and 15.4.9). */
export function redirectReply({ method, query }: Pick<HttpRequest, 'method' | 'query'>, target: string): HttpReply {
  const location = query === '' ? target : `${target}?${query}`
  return { status: method === 'GET' || method === 'HEAD' ? 301 : 308, headers: { location }, body: null }
}

interface PlainRequestOptions {
  headers?: Record<string, string>
  body?: string | Uint8Array
  address?: string
  value?: unknown
}

/** A request without a socket: from a seed, a tool or a test. `target` is the path and query. A body gets its
 *  content-length. */
export function plainRequest(method: string, target: string, parts: PlainRequestOptions = {}): HttpRequest {
  const { headers = {}, body, address = '127.0.0.1' } = parts
  const bytes = typeof body === 'string' ? Buffer.from(body) : (body ?? new Uint8Array())
  const [path = '', ...query] = target.split('?')
  const length = body === undefined ? {} : { 'content-length': String(bytes.length) }
  return {
    method,
    path,
    query: query.join('?'),
    headers: { ...length, ...headers },
    address,
    body: async () => bytes,
    async *stream() {
      yield bytes
    },
    ...('value' in parts && { value: parts.value }),
  }
}

/** The whole body of a reply, streamed or not. */
export async function bodyText({ body }: Pick<HttpReply, 'body'>): Promise<string> {
  if (body === null) return ''
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  let text = ''
  for await (const part of body) text += typeof part === 'string' ? part : Buffer.from(part).toString()
  return text
}

/** A message socket as the adapters see it (a WebSocket in production), so that tests use the other end without a port. */
export interface Socket {
  /** Never waits: `bufferedBytes` shows whether the peer reads. */
  send(text: string): void
  /** Bytes sent and not yet read by the peer. */
  readonly bufferedBytes: number
  /** Resolves when the buffer is empty or the socket is closed. */
  drained(): Promise<void>
  /** The peer has introduced itself: from now on the socket counts for this client, and its messages may be as long as bodies.
   *  False: the client has too many sockets. */
  acknowledge(client: string): boolean
  /** Closes once; later messages are dropped. */
  close(code: number, reason: string): void
}

/** The server's end of a socket. */
export interface SocketHandler {
  receive(text: string): void
  /** The peer or the server closed the socket. */
  closed(): void
}

/** Accepts a socket. The request is the one that opened it. */
export type SocketAcceptor = (request: HttpRequest, socket: Socket) => SocketHandler
