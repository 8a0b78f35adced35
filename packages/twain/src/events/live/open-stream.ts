// Opens an event stream as a response body, of the change log or of a custom subscription. It ends when the viewer's token ends.

import type { ApiError } from '#base'
import type { HttpRequest, Viewer } from '#base/http'
import type { LogPoint } from '#store'
import type { Interests, RenderedEvent } from '../feed/interest.ts'
import { EventStream } from './event-stream.ts'
import { tokenEnded } from './live-sessions.ts'
import type { LiveEvents } from './log-follower.ts'
import type { ValueSource, ValuesEnd } from './value-follower.ts'

/** The response headers of an event stream. */
export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  vary: 'accept, authorization',
  'x-accel-buffering': 'no', // stops proxies from buffering events
}

interface LogStreamFormat {
  interests: Interests
  /** One event of the stream. */
  frame(event: RenderedEvent): string
  /** Sent first, and at intervals while the stream is idle. Its id is the cursor to resume from. */
  heartbeat(cursor: string): string
  /** Sent last; null: the server is draining. */
  lastFrame(error: ApiError | null): string
}

type StreamRequest = Pick<HttpRequest, 'context' | 'address'>

/** The changes after a point. */
export function openStream(
  format: LogStreamFormat,
  point: LogPoint,
  viewer: Viewer,
  request: StreamRequest,
  events: LiveEvents,
): EventStream<RenderedEvent> {
  // Twain recognizes the stream by the suffix when it reconnects.
  const suffix = request.context?.eventIdSuffix ?? ''
  const frame = (event: RenderedEvent) =>
    format.frame(suffix === '' ? event : { ...event, cursor: event.cursor + suffix })
  const stream = new EventStream<RenderedEvent>(frame, events.settings.heartbeatSeconds)
  const follower = events.follow(
    {
      interests: format.interests,
      viewer,
      address: request.address,
      receive: (received) => stream.receive(received),
      whenDrained: () => stream.whenDrained(),
      end: (error) => stream.end(format.lastFrame(error)),
    },
    point,
  )
  const heartbeat = () => format.heartbeat(events.cursor(follower.point) + suffix)
  const end = (error: ApiError | null) => follower.end(error)
  return stream.start(follower, heartbeat, monitor(viewer, request, events, end))
}

interface ValueStreamFormat {
  /** One event of the stream. */
  frame(text: string): string
  /** Sent first, and at intervals while the stream is idle. `id` is a line of the frame, or empty. */
  heartbeat(id: string): string
  /** Sent last. */
  lastFrame(how: ValuesEnd): string
}

/** The values of a custom subscription. They have no cursors: a stream that reconnects begins anew. */
export function openValueStream(
  format: ValueStreamFormat,
  source: ValueSource,
  viewer: Viewer,
  request: StreamRequest,
  events: LiveEvents,
): EventStream<string> {
  const suffix = request.context?.eventIdSuffix ?? ''
  const stream = new EventStream<string>((text) => format.frame(text), events.settings.heartbeatSeconds)
  const follower = events.followValues(source, {
    receive: (text) => stream.receive([text]),
    whenDrained: () => stream.whenDrained(),
    end: (how) => stream.end(format.lastFrame(how)),
  })
  const heartbeat = () => format.heartbeat(suffix === '' ? '' : `id: ${suffix}\n`)
  const end = (error: ApiError | null) => follower.end(error === null ? 'restart' : { error })
  return stream.start(follower, heartbeat, monitor(viewer, request, events, end))
}

/** Returns the function that stops the monitoring. */
function monitor(
  viewer: Viewer,
  { context }: StreamRequest,
  events: LiveEvents,
  end: (error: ApiError | null) => void,
): () => void {
  const reauthenticate = context?.reauthenticate ?? null
  if (reauthenticate === null) return () => {}
  return events.monitor({ viewer, reauthenticate, end: (why) => end(why === 'ended' ? tokenEnded() : null) })
}
