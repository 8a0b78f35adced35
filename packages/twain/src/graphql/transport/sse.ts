// GraphQL over Server-Sent Events, in the mode of distinct connections (graphql-sse, PROTOCOL.md): an operation is a request,
// and its answer a stream of `next` that ends with `complete`. Each event has its cursor as its id, so that who comes again
// goes on behind it.

import type { ApiError, HttpReply, HttpRequest, Viewer } from '#base'
import { type Delivered, type Events, openStream, streamHeaders } from '#events'
import type { OperationOutcome } from '../execute/subscription.ts'
import { chooseMediaType } from './media-type.ts'

export function isStreamed({ headers: { accept } }: HttpRequest): boolean {
  return accept?.includes('event-stream') === true && chooseMediaType(accept) === 'text/event-stream'
}

const complete = 'event: complete\ndata:\n\n'

/** Of an operation that is over at once. */
export function streamResponse(text: string): HttpReply {
  return { status: 200, headers: streamHeaders, body: `event: next\ndata: ${text}\n\n${complete}` }
}

/** `errorText` gives a whole response. Rejects with a Fault where the cursor is none. */
export async function streamEvents(
  { interests, after, path: place }: OperationOutcome & { kind: 'stream' },
  request: HttpRequest,
  viewer: Viewer,
  events: Events,
  errorText: (error: ApiError) => string,
): Promise<HttpReply> {
  const last = request.headers['last-event-id'] || null
  const position = await events.position(last ?? after ?? 'now', last === null ? place : 'last-event-id')
  const frames = {
    interests,
    frame: ({ cursor, text }: Delivered) => `id: ${cursor}\nevent: next\ndata: ${text}\n\n`,
    sign: (cursor: string) => `:\nid: ${cursor}\n\n`,
    // Without a `complete`, which would say that there is nothing more, clients come again.
    farewell: (error: ApiError | null) =>
      error === null ? '' : `event: next\ndata: ${errorText(error)}\n\n${complete}`,
  }
  return { status: 200, headers: streamHeaders, body: openStream(frames, position, viewer, request, events) }
}
