// The events module on one screen: cursors, the change feed, live followers, monitoring of live sessions, and retention.

import { CacheBudget, type Gauge, type Log, stackOf } from '#base'
import { clearInterval, setInterval } from '#base/time'
import type { Engine } from '#engine'
import type { Store } from '#store'
import type { Cursors } from './feed/cursor.ts'
import { type ChangeFeed, Feed } from './feed/feed.ts'
import { fromOldest } from './feed/from-oldest.ts'
import { createLogResources } from './feed/project-page.ts'
import { holdInterests } from './live/hold-interests.ts'
import { Hub } from './live/hub.ts'
import { LiveSessions } from './live/live-sessions.ts'
import { type LiveEvents, LogFollower } from './live/log-follower.ts'
import { ValueFollower } from './live/value-follower.ts'

/** The settings `events.…`. */
export interface EventSettings {
  /** How long changes stay in the change log; 0: forever. */
  retentionSeconds: number
  /** The interval between heartbeats of an idle stream. */
  heartbeatSeconds: number
}

export const defaultEventSettings: EventSettings = { retentionSeconds: 7 * 24 * 3600, heartbeatSeconds: 15 }

export interface Events extends ChangeFeed, LiveEvents {
  readonly settings: EventSettings
  gauges(): Gauge[]
  /** Ends every open stream, and each new one at once. Clients reconnect, here or to another node. */
  drain(): void
  close(): Promise<void>
}

interface EventsOptions {
  engine: Engine
  store: Pick<Store, 'changes' | 'clock' | 'projector'>
  cursors: Cursors
  settings?: EventSettings | undefined
  /** The public origin of the service; null or absent: the source of an event is relative. */
  origin?: string | null | undefined
  /** Open streams take memory of the caches; default: a budget of its own. */
  caches?: CacheBudget
  log: Log
}

export function createEvents(options: EventsOptions): Events {
  const { engine, store, cursors, settings = defaultEventSettings, origin, caches = new CacheBudget(), log } = options
  const { changes } = store
  const resources = createLogResources(engine.model, cursors, store)
  const hub = new Hub(changes, resources, log)
  const feed = new Feed(engine, changes, resources, origin ?? '')
  const liveSessions = new LiveSessions()
  const retention = new Retention(store, settings.retentionSeconds, log)
  const followers = new Set<LogFollower>()
  const valueFollowers = new Set<ValueFollower>()
  let isDraining = false
  return {
    settings,
    point: async (after, place = 'after') =>
      after === 'now' ? (await changes.bounds()).end : cursors.read(after, place),
    fromOldest: (read) => fromOldest(changes, read),
    cursor: (point) => cursors.write(point),
    expectStored: (point) => cursors.expectStored(point),
    interests: (viewer, of, filter) => feed.interests(viewer, of, filter),
    page: (...request) => feed.page(...request),
    rowChanges: (interests, after, first) => feed.rowChanges(interests, after, first),
    eventsAt: (positions, interests, viewer) => feed.eventsAt(positions, interests, viewer),
    follow(reader, point) {
      const release = holdInterests(reader, caches, (error) => follower.end(error))
      const follower = new LogFollower(reader, point, { changes, hub, resources, log }, () => {
        if (followers.delete(follower)) release()
      })
      followers.add(follower)
      // While the server drains, a new stream opens and ends at once. Some clients would never retry after an error status.
      if (isDraining) queueMicrotask(() => follower.end(null))
      else follower.start()
      return follower
    },
    followValues(source, reader) {
      const follower = new ValueFollower(source, reader, () => valueFollowers.delete(follower))
      valueFollowers.add(follower)
      if (isDraining) queueMicrotask(() => follower.end('restart'))
      else follower.start()
      return follower
    },
    monitor: (session) => liveSessions.monitor(session),
    gauges: () => [
      {
        name: 'event_subscribers',
        kind: 'gauge',
        about: 'Open event streams, subscriptions and long polls.',
        value: () => followers.size + valueFollowers.size,
      },
    ],
    drain() {
      isDraining = true
      for (const follower of [...followers]) follower.end(null)
      for (const follower of [...valueFollowers]) follower.end('restart')
    },
    async close() {
      this.drain()
      retention.close()
      await hub.close()
    },
  }
}

/** The interval between two runs. A short retention time prunes more often. */
const maxPruneIntervalMs = 600_000

/** Prunes the change log at intervals: changes older than the retention time are deleted in batches. Every node prunes, and no
 *  node waits for another. */
class Retention {
  readonly #store: Pick<Store, 'changes' | 'clock'>
  readonly #retentionSeconds: number
  readonly #log: Log
  readonly #timer: NodeJS.Timeout | null
  readonly #stopping = new AbortController()

  /** 0 seconds: changes are never deleted. */
  constructor(store: Pick<Store, 'changes' | 'clock'>, retentionSeconds: number, log: Log) {
    this.#store = store
    this.#retentionSeconds = retentionSeconds
    this.#log = log
    this.#timer =
      retentionSeconds === 0
        ? null
        : setInterval(() => void this.prune(), Math.min(maxPruneIntervalMs, retentionSeconds * 250)).unref()
  }

  async prune(): Promise<void> {
    const { changes, clock } = this.#store
    try {
      const pruned = await changes.prune(clock, this.#retentionSeconds * 1000, this.#stopping.signal)
      if (pruned > 0) this.#log.info({ changes: pruned }, 'change log pruned')
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        this.#log.warn({ 'exception.stacktrace': stackOf(error) }, 'change log could not be pruned')
    }
  }

  /** A run in progress ends with its statement; the next run of any node goes on. */
  close(): void {
    this.#stopping.abort()
    if (this.#timer !== null) clearInterval(this.#timer)
  }
}
