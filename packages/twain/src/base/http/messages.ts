// Plain request and reply shapes. The doors know these and never a socket, so tests call them without a port.

import type { MaybePromise } from '../maybe-promise.ts'
import type { ServerTiming } from './server-timing.ts'

export interface HttpRequest {
  method: string
  /** The path as sent: percent-encoded, without the query. */
  path: string
  /** What stands behind the `?`, without it; empty when there is none. */
  query: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  /** Where it came from: the IP address at the other end of the socket, or behind the proxies that are trusted. */
  address: string
  /** As the client called us, `https://api.example.org`, where a trusted proxy says so. */
  origin?: string | null
  /** What else is known of it; a request that came on no socket has none. */
  context?: RequestContext
  /** Reads the body once; a Fault `PAYLOAD_TOO_LARGE` when it is over the limit. */
  body(): MaybePromise<Uint8Array>
  /** The body as it comes, once and instead of `body`: at most so many bytes, 0 for any number; then the same Fault. */
  stream(limit: number): AsyncIterable<Uint8Array>
}

/** What the floor and the doors tell each other about one request, beside its reply. */
export interface RequestContext {
  /** By which it is found again: in the answer, in the log, and where the client said it, on the client's side too. */
  readonly id: string
  /** Header fields of the answer, whatever becomes of it: a flat list of names and values. */
  readonly responseHeaders: string[]
  /** Whom the log names: an account, a token or a key; null for someone unknown. */
  viewer: string | null
  /** Null where nobody wants to know. */
  readonly stages: ServerTiming | null
  /** The request turned out to be so many more than one: counts them, and throws TOO_MANY_REQUESTS. Null: nobody counts. */
  countMore: ((requests: number) => void) | null
  /** Who asks as of now, for an answer that stays open; throws when it is nobody any more. Null: nobody knows. */
  reauthenticate: (() => MaybePromise<Viewer>) | null
  /** What stands behind the ids of the events of an answer that stays open, so that it is known when it comes again. */
  eventIdSuffix: string
}

/** A body that is made while it is sent, so that it needs not fit into memory. When the client goes away it is ended early. */
export type BodyStream = AsyncIterable<string | Uint8Array>

export interface HttpReply {
  status: number
  headers: Record<string, string | string[]>
  body: string | Uint8Array | BodyStream | null
}

export function isStream(body: HttpReply['body']): body is BodyStream {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/** A door: what answers a request. */
export type ApiHandler = (request: HttpRequest, viewer: Viewer) => MaybePromise<HttpReply>

/** Who asks. */
export interface Viewer {
  /** The id of the account that signed in; null for someone unknown, an operator, or a machine's key. */
  account: string | null
  roles: readonly string[]
  /** Whether a valid token or key came along: a refusal is then 403, and 401 without one. */
  authenticated: boolean
  /** The id of the token or key, so that it can be ended and told apart. */
  token: string | null
}

export const anonymous: Viewer = { account: null, roles: [], authenticated: false, token: null }

/** Ourselves: no rule is asked. Known by being this object, so that no request can bring it along. */
export const system: Viewer = Object.freeze({ account: null, roles: [], authenticated: true, token: null })
