// Plain request and reply shapes. Adapters use these and never a socket, so tests call them without a port.

import type { MaybePromise } from '../maybe-promise.ts'
import type { ServerTiming } from './server-timing.ts'

export interface HttpRequest {
  method: string
  /** The path as sent: percent-encoded, without the query. */
  path: string
  /** The query string without `?`; empty when there is none. */
  query: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  /** The client's IP address: the peer of the socket, or the one behind trusted proxies. */
  address: string
  /** The public origin, `https://api.example.org`, where a trusted proxy gives it. */
  origin?: string | null
  /** Absent for requests without a socket. */
  context?: RequestContext
  /** Reads the body once. Throws `PAYLOAD_TOO_LARGE` above the limit. */
  body(): MaybePromise<Uint8Array>
  /** Streams the body, once and instead of `body`. Throws `PAYLOAD_TOO_LARGE` above `limit` bytes; 0 is no limit. */
  stream(limit: number): AsyncIterable<Uint8Array>
}

/** What the HTTP server and the adapters share about one request, beside its reply. */
export interface RequestContext {
  /** The request id: in the response, in the log, and the client's own where it sent one. */
  readonly id: string
  /** Header fields of the response, also of a failed one: a flat list of names and values. */
  readonly responseHeaders: string[]
  /** The account, token or key for the log; null for an anonymous viewer. */
  viewer: string | null
  /** Null where stages are not measured. */
  readonly stages: ServerTiming | null
  /** Counts the further requests of a batch; throws TOO_MANY_REQUESTS. Null: no rate limit. */
  countMore: ((requests: number) => void) | null
  /** Authenticates an open stream again; throws when its viewer is no longer valid. Null: not authenticated. */
  reauthenticate: (() => MaybePromise<Viewer>) | null
  /** Suffix of the event ids of a stream with a ticket, which identifies the stream when it reconnects. */
  eventIdSuffix: string
}

/** A body that is produced while it is sent. It ends early when the client disconnects. */
export type BodyStream = AsyncIterable<string | Uint8Array>

export interface HttpReply {
  status: number
  headers: Record<string, string | string[]>
  body: string | Uint8Array | BodyStream | null
}

export function isStream(body: HttpReply['body']): body is BodyStream {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/** An API adapter: answers a request of a viewer. */
export type ApiHandler = (request: HttpRequest, viewer: Viewer) => MaybePromise<HttpReply>

/** Who calls. */
export interface Viewer {
  /** The id of the signed-in account; null for anonymous viewers, the operator and API keys. */
  account: string | null
  roles: readonly string[]
  /** Whether the request has a valid token or key: a denial is then 403, otherwise 401. */
  authenticated: boolean
  /** The id of the token or key. */
  token: string | null
}

export const anonymous: Viewer = { account: null, roles: [], authenticated: false, token: null }

/** The server itself: no rules apply. Compared by identity, so that no request can forge it. */
export const system: Viewer = Object.freeze({ account: null, roles: [], authenticated: true, token: null })
