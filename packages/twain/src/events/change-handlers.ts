// Calls the change handlers of custom code (`on` of twain.config.ts) for committed changes, one at a time, in log order.
//
// 1. Delivery is at least once: the position is stored with the data. After a crash, some changes are handled again.
// 2. One node at a time holds the lease and calls the handlers. When its lease expires, another node continues.
// 3. A failed call is retried while later changes wait. After `maxAttempts` the failure is logged and the change is skipped.
// 4. If the database has lost changes that were handled, this is logged. The handlers continue where its position is.

import { ApiError, type Log, stackOf, type Tracing, uuidv7 } from '#base'
import { system } from '#base/http'
import { clearTimeout, monotonicTime, setTimeout, sleep } from '#base/time'
import type { Resource } from '#model'
import { type ChangeLog, ChangesLost, type HandlerPositions, type LogPoint, pointOf } from '#store'
import { runTraced } from './change-trace.ts'
import type { ChangeFeed, FeedPage } from './feed/feed.ts'
import type { Interest, Interests } from './feed/interest.ts'
import type { RowChange } from './feed/row-changes.ts'

export interface ChangeHandlersOptions {
  positions: HandlerPositions
  events: ChangeFeed
  changes: ChangeLog
  /** The types that have a handler. */
  types: readonly Resource[]
  /** Rejects if the handler fails. */
  handle(of: Resource, change: HandledChange): Promise<void>
  log: Log
  /** Default: nothing is traced. */
  tracing?: Tracing | null | undefined
  clock: () => number
  /** The delay before the first retry. It doubles with each further retry. */
  firstRetryMs?: number
}

export type HandledChange = Omit<RowChange, 'of' | 'epoch' | 'position' | 'trace'>

const handlerName = 'on'
const pageSize = 50
const maxAttempts = 8
const leaseMs = 30_000
const renewIntervalMs = 10_000
const pollIntervalMs = 5_000
const saveIntervalMs = 1_000
const maxReleaseMs = 1_000

export class ChangeHandlers {
  readonly #options: ChangeHandlersOptions
  readonly #interests: Interests
  readonly #holder = uuidv7()
  readonly #stopping = new AbortController()
  readonly #unwatch: () => void
  #running: Promise<void> = Promise.resolve()
  /** Whether the log may have grown since the last read. */
  #hasNewChanges = false
  #wake: () => void = () => {}
  /** When the lease was renewed, and the position reached since. Changes without a handler do not cause a write each. */
  #lease: { at: number; point: LogPoint } | null = null

  /** Starts at the stored position, or at the end of the log if no handler ever ran on this database. */
  static async open(options: ChangeHandlersOptions): Promise<ChangeHandlers> {
    const handlers = new ChangeHandlers(options)
    if (!options.positions.isShared) await options.positions.release(handlerName, null) // left by a killed process
    await handlers.#renewLease()
    handlers.#running = handlers.#run()
    return handlers
  }

  private constructor(options: ChangeHandlersOptions) {
    this.#options = options
    const { events, changes, types } = options
    this.#interests = new Map<Resource, Interest>(types.flatMap((of) => [...events.interests(system, of)]))
    this.#unwatch = changes.watch(() => {
      this.#hasNewChanges = true
      this.#wake()
    })
  }

  /** Finishes the running call. The next holder of the lease handles the remaining changes. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#wake()
    this.#unwatch()
    await this.#running
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  async #run(): Promise<void> {
    const { log } = this.#options
    while (!this.#isStopped) {
      this.#hasNewChanges = false
      try {
        if (!(await this.#handlePage())) await this.#waitForChanges()
      } catch (error) {
        if (!(error instanceof ApiError))
          log.error({ 'exception.stacktrace': stackOf(error) }, 'changes could not be passed to custom code; retrying')
        await this.#waitForChanges()
      }
    }
    // Without a database the lease expires on its own; the next holder handles some changes again (1).
    const released = this.#release().catch(() => undefined)
    await Promise.race([released, sleep(maxReleaseMs, undefined, { ref: false })])
  }

  async #release(): Promise<void> {
    if (this.#lease !== null) await this.#savePoint(this.#lease.point)
    await this.#options.positions.release(handlerName, this.#holder)
  }

  /** False if there are no new changes, or another node holds the lease. */
  async #handlePage(): Promise<boolean> {
    const from = await this.#leasedPoint()
    if (from === null) return false
    const { events: changes, point } = await this.#page(from)
    if (point.position === from.position && point.epoch === from.epoch) return false
    let saved = monotonicTime()
    for (const event of changes) {
      if (this.#isStopped || (await this.#leasedPoint()) === null) return false
      if (!(await this.#handleChange(event))) return false
      if (this.#lease !== null) this.#lease.point = pointOf(event)
      if (monotonicTime() - saved < saveIntervalMs) continue
      saved = monotonicTime()
      await this.#savePoint(pointOf(event))
    }
    if (this.#lease !== null) this.#lease.point = point
    if (changes.length > 0) await this.#savePoint(point)
    return true
  }

  async #page(from: LogPoint): Promise<FeedPage<RowChange>> {
    const { events, log } = this.#options
    try {
      return await events.rowChanges(this.#interests, from, pageSize)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'GONE') throw error
      if (error instanceof ChangesLost) return this.#pageAfterLoss(from, error)
      return events.fromOldest((oldest) => {
        log.warn({ changes: oldest.position - from.position }, 'custom code missed changes that were already pruned')
        return events.rowChanges(this.#interests, oldest, pageSize)
      })
    }
  }

  /** See 4. */
  #pageAfterLoss(from: LogPoint, { kept }: ChangesLost): Promise<FeedPage<RowChange>> {
    if (kept !== null) return this.#continueAt(kept, from)
    return this.#options.events.fromOldest((oldest) => this.#continueAt(oldest, from))
  }

  async #continueAt(point: LogPoint, from: LogPoint): Promise<FeedPage<RowChange>> {
    const { events, log } = this.#options
    log.warn(
      { changes: from.position - point.position },
      'the database has lost changes that custom code may have handled: it was restored, or a failover lost commits',
    )
    await this.#savePoint(point)
    return events.rowChanges(this.#interests, point, pageSize)
  }

  /** False if the handlers stop, or lose the lease, before the change was handled. */
  async #handleChange({ of, epoch, position, trace, ...change }: RowChange): Promise<boolean> {
    const { handle, log, tracing = null, firstRetryMs = 250 } = this.#options
    const { id, cursor } = change
    for (let attempt = 1; ; attempt++) {
      try {
        await runTraced(tracing, {
          name: `process on.${of.name}`,
          kind: 'consumer',
          attributes: {
            'messaging.operation.name': 'process',
            'messaging.operation.type': 'process',
            'messaging.destination.name': `on.${of.name}`,
            'messaging.message.id': cursor,
          },
          parent: trace,
          run: () => handle(of, change),
        })
        return true
      } catch (error) {
        const about = {
          'code.function.name': `on.${of.name}`,
          id,
          cursor,
          attempts: attempt,
          'exception.stacktrace': stackOf(error),
        }
        if (attempt === maxAttempts) {
          log.error(about, 'custom code failed for a change; giving up')
          return true
        }
        log.warn(about, 'custom code failed for a change; retrying')
      }
      await this.#sleep(firstRetryMs * 2 ** (attempt - 1))
      if (this.#isStopped || (await this.#leasedPoint()) === null) return false
    }
  }

  /** The point to read from; null while another node holds the lease. */
  async #leasedPoint(): Promise<LogPoint | null> {
    const isFresh = this.#lease !== null && monotonicTime() - this.#lease.at < renewIntervalMs
    if (!isFresh) await this.#renewLease()
    return this.#lease?.point ?? null
  }

  async #renewLease(): Promise<void> {
    const { positions, changes, clock } = this.#options
    const now = clock()
    const lease = { holder: this.#holder, now, until: now + leaseMs }
    const stored = await positions.acquire(handlerName, (await changes.bounds()).end, lease)
    if (stored === null) {
      this.#lease = null
      return
    }
    const point = stored.epoch === null ? changes.point(stored.position) : { ...stored, epoch: stored.epoch }
    // Another node may have advanced the stored point; this node may be ahead of it, past changes without a handler.
    const own = this.#lease?.point
    this.#lease = { at: monotonicTime(), point: own !== undefined && own.position > point.position ? own : point }
  }

  async #savePoint(point: LogPoint): Promise<void> {
    if (!(await this.#options.positions.advance(handlerName, this.#holder, point))) this.#lease = null
  }

  /** Resolves when the log may have grown, or after the poll interval. */
  async #waitForChanges(): Promise<void> {
    if (this.#isStopped || this.#hasNewChanges) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pollIntervalMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = () => {}
  }

  async #sleep(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }
}
