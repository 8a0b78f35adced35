// A request that is held until there is something to tell, or its time is over. It is no older right than a stream's: whose
// token ends meanwhile hears that, and nothing else.

import type { HttpRequest, Viewer } from '#base'
import type { Events } from '../events.ts'
import type { Delivered, Interests } from '../feed/interest.ts'
import { notAnyMore } from './live-sessions.ts'

export interface Held {
  /** None: the time is over, the server is going, or the viewer has other rights by now, and comes again. */
  found: readonly Delivered[]
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
): Promise<Held> {
  const { promise, resolve, reject } = Promise.withResolvers<Held>()
  const following = events.follow(
    {
      interests,
      account: viewer.account,
      take: done,
      room: () => null,
      end: (fault) => (fault === null ? done([]) : fail(fault)),
    },
    from,
  )
  const timer = setTimeout(() => done([]), seconds * 1000)
  const again = context?.reauthenticate ?? null
  const stopAttending =
    again === null
      ? () => {}
      : events.attend({ viewer, again, end: (why) => (why === 'ended' ? fail(notAnyMore()) : done([])) })
  return promise

  function done(found: readonly Delivered[]): void {
    const { position } = following
    over()
    resolve({ found, position })
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
