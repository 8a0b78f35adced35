// The room of events on one screen: cursors, the feed, following it live, who still counts, and how long changes are kept.

import type { Gauge, Log, Viewer } from '#base'
import type { Engine } from '#engine'
import type { Resource } from '#model'
import type { Store } from '#store'
import { readCursor, writeCursor } from './feed/cursor.ts'
import { Feed, type FeedFilter, type FeedPage } from './feed/feed.ts'
import type { Interests, RenderedEvent } from './feed/interest.ts'
import { createLogResources } from './feed/log-resources.ts'
import { Hub } from './live/hub.ts'
import { type LiveSession, LiveSessions } from './live/live-sessions.ts'
import { LogFollower } from './live/log-follower.ts'
import type { EventReader } from './live/reader.ts'
import { Retention } from './retention.ts'
import { defaultEventSettings, type EventSettings } from './settings.ts'

export interface Events {
  /** Where to read on: behind a cursor, or from `now` on. Rejects with a Fault; `place` is where the request has it. */
  position(after: string, place?: string): Promise<number>
  /** Where what is kept begins. */
  oldestPosition(): Promise<number>
  cursor(position: number): string
  /** What the feed tells a viewer: of all types, or of one with a filter. */
  interests(viewer: Viewer, of: Resource | null, filter?: FeedFilter): Interests
  page(interests: Interests, viewer: Viewer, after: number, first: number): Promise<FeedPage>
  /** Changes at these positions, as the viewer is told of them by now. */
  eventsAt(positions: readonly number[], interests: Interests, viewer: Viewer): Promise<Map<number, RenderedEvent>>
  follow(reader: EventReader, position: number): LogFollower
  /** Closes the stream of who does not count any more. Gives what ends it. */
  monitor(attendant: LiveSession): () => void
  readonly settings: EventSettings
  gauges(): Gauge[]
  /** Ends all streams, and each that comes: their readers come again, here or elsewhere. */
  drain(): void
  close(): Promise<void>
}

interface EventsOptions {
  engine: Engine
  store: Pick<Store, 'changes' | 'projector'>
  settings?: EventSettings | undefined
  log: Log
}

export function createEvents({ engine, store, settings = defaultEventSettings, log }: EventsOptions): Events {
  const { changes } = store
  const named = createLogResources(engine.model, store)
  const hub = new Hub(changes, named, log)
  const feed = new Feed(engine, changes, named)
  const attendance = new LiveSessions()
  const retention = new Retention(changes, settings.retentionSeconds, log)
  const followings = new Set<LogFollower>()
  let isDraining = false
  return {
    settings,
    position: (after, place = 'after') => (after === 'now' ? changes.end() : readCursor(after, place, changes)),
    oldestPosition: async () => (await changes.first()) - 1,
    cursor: (position) => writeCursor(changes.log, position),
    interests: (viewer, of, filter) => feed.interests(viewer, of, filter),
    page: (interests, viewer, after, first) => feed.page(interests, viewer, after, first),
    eventsAt: (positions, interests, viewer) => feed.eventsAt(positions, interests, viewer),
    follow(reader, position) {
      const following = new LogFollower(reader, position, { changes, hub, named, log }, () =>
        followings.delete(following),
      )
      followings.add(following)
      // Who comes while the server goes is sent on as those are who were there: a refusal would be for good to some.
      if (isDraining) queueMicrotask(() => following.end(null))
      else following.start()
      return following
    },
    monitor: (attendant) => attendance.add(attendant),
    gauges: () => [
      {
        name: 'event_subscribers',
        kind: 'gauge',
        about: 'Open event streams, subscriptions and long polls.',
        value: () => followings.size,
      },
    ],
    drain() {
      isDraining = true
      for (const following of [...followings]) following.end(null)
    },
    async close() {
      this.drain()
      retention.close()
      await hub.close()
    },
  }
}
