// GraphQL over Server-Sent Events, distinct connections mode (graphql-sse, PROTOCOL.md): each operation is a request, and the
// response is a stream of `next` events that ends with `complete`. The id of an event is its cursor, so that a client that
// reconnects resumes after it.

import type { ApiError } from '#base'
import type { HttpReply, HttpRequest, Viewer } from '#base/http'
import {
  type Events,
  openStream,
  openValueStream,
  type RenderedEvent,
  streamHeaders,
  type ValueSource,
  type ValuesEnd,
} from '#events'
import type { OperationOutcome } from '../execute/subscription.ts'
import { chooseMediaType } from './reply.ts'

export function acceptsStream({ headers: { accept } }: HttpRequest): boolean {
  return accept?.includes('event-stream') === true && chooseMediaType(accept) === 'text/event-stream'
}

const complete = 'event: complete\ndata:\n\n'

/** A query or a mutation: one `next`, then `complete`. */
export function streamResponse({ text, retryAfter }: OperationOutcome & { kind: 'response' }): HttpReply {
  const body = `event: next\ndata: ${text}\n\n${complete}`
  if (retryAfter === null) return { status: 200, headers: streamHeaders, body }
  return { status: 503, headers: { ...streamHeaders, 'retry-after': retryAfter }, body }
}

/** `errorText` formats a GraphQL response. Rejects with an ApiError if the cursor is invalid. */
export async function streamEvents(
  { interests, after, afterPath }: OperationOutcome & { kind: 'stream' },
  request: HttpRequest,
  viewer: Viewer,
  events: Events,
  errorText: (error: ApiError) => string,
): Promise<HttpReply> {
  const last = request.headers['last-event-id'] || null
  const point = await events.point(last ?? after ?? 'now', last === null ? afterPath : 'last-event-id')
  const frames = {
    interests,
    frame: ({ cursor, text }: RenderedEvent) => `id: ${cursor}\nevent: next\ndata: ${text}\n\n`,
    heartbeat: (cursor: string) => `:\nid: ${cursor}\n\n`,
    // Without an error the stream ends without `complete`, so that clients reconnect.
    lastFrame: (error: ApiError | null) =>
      error === null ? '' : `event: next\ndata: ${errorText(error)}\n\n${complete}`,
  }
  return { status: 200, headers: streamHeaders, body: openStream(frames, point, viewer, request, events) }
}

/** The values of a custom subscription. `errorText` formats a GraphQL response. */
export function streamValues(
  source: ValueSource,
  request: HttpRequest,
  viewer: Viewer,
  events: Events,
  errorText: (error: unknown) => string,
): HttpReply {
  const frames = {
    frame: (text: string) => `event: next\ndata: ${text}\n\n`,
    heartbeat: (id: string) => `:\n${id}\n`,
    lastFrame: (how: ValuesEnd) => {
      if (how === 'restart') return '' // without `complete`, so that clients reconnect
      return how === 'complete' ? complete : `event: next\ndata: ${errorText(how.error)}\n\n${complete}`
    },
  }
  return { status: 200, headers: streamHeaders, body: openValueStream(frames, source, viewer, request, events) }
}
