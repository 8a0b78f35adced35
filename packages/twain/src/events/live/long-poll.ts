// A long poll: waits until there are events or the time is over. If the viewer's token ends meanwhile, it rejects.

import type { HttpRequest, Viewer } from '#base/http'
import { clearTimeout, setTimeout } from '#base/time'
import type { LogPoint } from '#store'
import type { Interests, RenderedEvent } from '../feed/interest.ts'
import { tokenEnded } from './live-sessions.ts'
import type { LiveEvents } from './log-follower.ts'

export interface LongPollResult {
  /** Empty if the time is over, the server is draining or the viewer's roles changed. The client polls again. */
  events: readonly RenderedEvent[]
  /** The viewer has seen every matching event up to here. */
  point: LogPoint
}

/** Rejects with an ApiError. */
export function longPoll(
  interests: Interests,
  from: LogPoint,
  seconds: number,
  viewer: Viewer,
  { context, address }: Pick<HttpRequest, 'context' | 'address'>,
  events: LiveEvents,
): Promise<LongPollResult> {
  const { promise, resolve, reject } = Promise.withResolvers<LongPollResult>()
  const follower = events.follow(
    {
      interests,
      viewer,
      address,
      receive: finish,
      whenDrained: () => null,
      end: (error) => (error === null ? finish([]) : fail(error)),
    },
    from,
  )
  const timer = setTimeout(() => finish([]), seconds * 1000)
  const reauthenticate = context?.reauthenticate ?? null
  const stopMonitoring =
    reauthenticate === null
      ? () => {}
      : events.monitor({
          viewer,
          reauthenticate,
          end: (why) => (why === 'ended' ? fail(tokenEnded()) : finish([])),
        })
  return promise

  function finish(found: readonly RenderedEvent[]): void {
    const { point } = follower
    stop()
    resolve({ events: found, point })
  }

  function fail(error: unknown): void {
    stop()
    reject(error)
  }

  function stop(): void {
    clearTimeout(timer)
    stopMonitoring()
    follower.stop()
  }
}
