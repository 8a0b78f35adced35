// An answer that stays open: the reader is followed from a position on, and closed when it does not count any more.

import type { HttpRequest, Viewer } from '#base'
import type { Events } from '../events.ts'
import { EventStream, type StreamParts } from './event-stream.ts'
import { notAnyMore } from './live-sessions.ts'

/** Of an answer that stays open. */
export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  vary: 'accept, authorization',
  'x-accel-buffering': 'no', // proxies that gather answers would hold events back
}

type Asked = Omit<StreamParts, 'account' | 'heartbeat' | 'cursor'>

export function openStream(
  asked: Asked,
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
    heartbeat,
    cursor: (at) => events.cursor(at),
  })
  const following = events.follow(stream, position)
  const again = context?.reauthenticate ?? null
  const stopAttending =
    again === null
      ? () => {}
      : events.attend({ viewer, again, end: (why) => following.end(why === 'ended' ? notAnyMore() : null) })
  return stream.begin(following, stopAttending)
}

/** With what the stream is known by when it comes again. */
function marked({ frame, sign }: Asked, mark: string): Pick<Asked, 'frame' | 'sign'> {
  return {
    frame: (event) => frame({ ...event, cursor: event.cursor + mark }),
    sign: (cursor) => sign(cursor + mark),
  }
}
