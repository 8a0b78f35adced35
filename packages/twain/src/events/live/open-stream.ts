// An answer that stays open: the reader is followed from a position on, and closed when it does not count any more.

import type { HttpRequest, Viewer } from '#base'
import type { Events } from '../events.ts'
import { EventStream, type EventStreamOptions } from './event-stream.ts'
import { tokenEnded } from './live-sessions.ts'

/** Of an answer that stays open. */
export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  vary: 'accept, authorization',
  'x-accel-buffering': 'no', // proxies that gather answers would hold events back
}

type EventStreamFormat = Omit<EventStreamOptions, 'account' | 'heartbeatSeconds' | 'cursor'>

export function openStream(
  asked: EventStreamFormat,
  position: number,
  viewer: Viewer,
  { context }: Pick<HttpRequest, 'context'>,
  events: Events,
): EventStream {
  const { heartbeatSeconds: heartbeat } = events.settings
  const mark = context?.eventIdSuffix ?? ''
  const stream = new EventStream({
    ...asked,
    ...(mark === '' ? {} : marked(asked, mark)),
    account: viewer.account,
    heartbeatSeconds: heartbeat,
    cursor: (at) => events.cursor(at),
  })
  const following = events.follow(stream, position)
  const again = context?.reauthenticate ?? null
  const stopAttending =
    again === null
      ? () => {}
      : events.monitor({
          viewer,
          reauthenticate: again,
          end: (why) => following.end(why === 'ended' ? tokenEnded() : null),
        })
  return stream.begin(following, stopAttending)
}

/** With what the stream is known by when it comes again. */
function marked({ frame, heartbeat }: EventStreamFormat, mark: string): Pick<EventStreamFormat, 'frame' | 'heartbeat'> {
  return {
    frame: (event) => frame({ ...event, cursor: event.cursor + mark }),
    heartbeat: (cursor) => heartbeat(cursor + mark),
  }
}
