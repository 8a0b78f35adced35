// Opens an event stream as a response body: it follows the log from a position and ends when the viewer's token ends.

import type { HttpRequest, Viewer } from '#base/http'
import type { LogPoint } from '#store'
import { EventStream, type EventStreamOptions } from './event-stream.ts'
import { tokenEnded } from './live-sessions.ts'
import type { LiveEvents } from './log-follower.ts'

/** The response headers of an event stream. */
export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  vary: 'accept, authorization',
  'x-accel-buffering': 'no', // stops proxies from buffering events
}

type EventStreamFormat = Omit<EventStreamOptions, 'account' | 'heartbeatSeconds' | 'cursor'>

export function openStream(
  format: EventStreamFormat,
  point: LogPoint,
  viewer: Viewer,
  { context }: Pick<HttpRequest, 'context'>,
  events: LiveEvents,
): EventStream {
  const eventIdSuffix = context?.eventIdSuffix ?? ''
  const stream = new EventStream({
    ...format,
    ...(eventIdSuffix === '' ? {} : withEventIdSuffix(format, eventIdSuffix)),
    account: viewer.account,
    heartbeatSeconds: events.settings.heartbeatSeconds,
    cursor: (at) => events.cursor(at),
  })
  const follower = events.follow(stream, point)
  const reauthenticate = context?.reauthenticate ?? null
  const stopMonitoring =
    reauthenticate === null
      ? () => {}
      : events.monitor({
          viewer,
          reauthenticate,
          end: (why) => follower.end(why === 'ended' ? tokenEnded() : null),
        })
  return stream.start(follower, stopMonitoring)
}

/** Adds the suffix by which Twain recognizes the stream when it reconnects. */
function withEventIdSuffix(
  { frame, heartbeat }: EventStreamFormat,
  eventIdSuffix: string,
): Pick<EventStreamFormat, 'frame' | 'heartbeat'> {
  return {
    frame: (event) => frame({ ...event, cursor: event.cursor + eventIdSuffix }),
    heartbeat: (cursor) => heartbeat(cursor + eventIdSuffix),
  }
}
