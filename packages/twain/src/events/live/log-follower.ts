// Follows the change log for one reader: first it catches up page by page, as fast as the reader takes them; then it joins the
// hub. There is no gap and no repeat: a reader joins the hub at exactly the point that it has read to.

import { ApiError, type Log, stackOf } from '#base'
import { sleep } from '#base/time'
import { type ChangeLog, type LogPoint, pointOf } from '#store'
import { expectNoGap } from '../feed/cursor.ts'
import { type LogResources, projectPage } from '../feed/project-page.ts'
import { type EventReader, LiveReader } from './event-reader.ts'
import type { Hub } from './hub.ts'
import type { LiveSession } from './live-sessions.ts'
import type { ValueFollower, ValueReader, ValueSource } from './value-follower.ts'

const maxReadChanges = 200
const retryDelayMs = 250

/** What streams, subscriptions and long polls use of the events module. */
export interface LiveEvents {
  cursor(point: LogPoint): string
  follow(reader: EventReader, point: LogPoint): LogFollower
  /** Passes the values of a custom subscription to a reader. */
  followValues(source: ValueSource, reader: ValueReader): ValueFollower
  /** Ends the session once its token ends or its viewer's roles change. Returns the function that stops the monitoring. */
  monitor(session: LiveSession): () => void
  readonly settings: { readonly heartbeatSeconds: number }
}

interface LogFollowerOptions {
  changes: ChangeLog
  hub: Hub
  resources: LogResources
  log: Log
}

export class LogFollower {
  readonly #options: LogFollowerOptions
  readonly #reader: EventReader
  readonly #liveReader: LiveReader
  readonly #onEnd: () => void
  #isJoined = false

  /** Follows the log after this point, once it is started. Calls `onEnd` when it ends. */
  constructor(reader: EventReader, point: LogPoint, options: LogFollowerOptions, onEnd: () => void) {
    this.#options = options
    this.#reader = reader
    this.#onEnd = onEnd
    this.#liveReader = new LiveReader(reader, point, () => this.#leave())
  }

  start(): void {
    void this.#catchUp()
  }

  /** The reader can resume from here: it has received every matching event up to this point. */
  get point(): LogPoint {
    const { point } = this.#liveReader
    const { deliveredPoint } = this.#options.hub
    return this.#isJoined && deliveredPoint.position > point.position ? deliveredPoint : point
  }

  /** Stops without notice to the reader. */
  stop(): void {
    this.#liveReader.stop()
  }

  end(error: ApiError | null): void {
    this.#liveReader.end(error)
  }

  #leave(): void {
    if (this.#isJoined) this.#options.hub.leave(this.#liveReader)
    this.#isJoined = false
    this.#onEnd()
  }

  async #catchUp(): Promise<void> {
    const { hub, log } = this.#options
    while (!this.#liveReader.isEnded) {
      try {
        if (await this.#readPage()) continue // a full page: more may follow
        if (this.#liveReader.isEnded) return
        this.#isJoined = hub.join(this.#liveReader)
        if (this.#isJoined) return
      } catch (error) {
        if (error instanceof ApiError && error.code === 'UNAVAILABLE') {
          await sleep(retryDelayMs)
          continue
        }
        if (!(error instanceof ApiError))
          log.error({ 'exception.stacktrace': stackOf(error) }, 'change event could not be sent')
        this.end(error instanceof ApiError ? error : new ApiError('INTERNAL', 'A change event could not be sent.'))
      }
    }
  }

  /** Whether the page was full. If not, the reader is close enough to the end of the log to join the hub. */
  async #readPage(): Promise<boolean> {
    const { changes, resources } = this.#options
    const page = await changes.read(this.#liveReader.point, maxReadChanges)
    if (page.length === 0) return false
    expectNoGap(page, this.#liveReader.point)
    const { interests, viewer } = this.#reader
    const events = await projectPage(page, interests, viewer.account, resources)
    if (events.length > 0) this.#liveReader.receive(events)
    this.#liveReader.point = pointOf(page.at(-1)!)
    const drained = this.#reader.whenDrained()
    if (drained !== null) await drained
    return page.length === maxReadChanges
  }
}
