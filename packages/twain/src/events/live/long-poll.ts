// A request that is held until there is something to tell, or its time is over. It is no older right than a stream's: whose
// token ends meanwhile hears that, and nothing else.

import type { HttpRequest, Viewer } from '#base'
import type { Events } from '../events.ts'
import type { Interests, RenderedEvent } from '../feed/interest.ts'
import { tokenEnded } from './live-sessions.ts'

export interface LongPollResult {
  /** None: the time is over, the server is going, or the viewer has other rights by now, and comes again. */
  events: readonly RenderedEvent[]
  /** Nothing else was found up to here. */
  position: number
}

/** Rejects with a Fault. */
export function longPoll(
  interests: Interests,
  from: number,
  seconds: number,
  viewer: Viewer,
  { context }: Pick<HttpRequest, 'context'>,
  events: Events,
): Promise<LongPollResult> {
  const { promise, resolve, reject } = Promise.withResolvers<LongPollResult>()
  const following = events.follow(
    {
      interests,
      account: viewer.account,
      receive: done,
      whenDrained: () => null,
      end: (fault) => (fault === null ? done([]) : fail(fault)),
    },
    from,
  )
  const timer = setTimeout(() => done([]), seconds * 1000)
  const again = context?.reauthenticate ?? null
  const stopAttending =
    again === null
      ? () => {}
      : events.monitor({
          viewer,
          reauthenticate: again,
          end: (why) => (why === 'ended' ? fail(tokenEnded()) : done([])),
        })
  return promise

  function done(found: readonly RenderedEvent[]): void {
    const { position } = following
    over()
    resolve({ events: found, position })
  }

  function fail(fault: unknown): void {
    over()
    reject(fault)
  }

  function over(): void {
    clearTimeout(timer)
    stopAttending()
    following.stop()
  }
}
