// Runs one webhook: queues deliveries from the change log and sends those that are due.
//
// 1. One node holds the lease and queues deliveries; any node may claim and send them. Leases and claims expire, so a node
//    that dies delays a webhook by at most 30 s.
// 2. An attempt ends before its claim expires, so no other node sends the same delivery meanwhile.
// 3. Each attempt reads the change from the log again, with the current permissions of the webhook's owner.
// 4. The log is the queue: while `maxPendingDeliveries` wait, the runner reads no further changes.
// 5. If the database has lost changes that were queued or sent here, the webhook is paused: its receiver may have got them.
//    Otherwise the runner continues at the stored cursor.

import { hash } from 'node:crypto'
import { ApiError, exceptionFields, type Log } from '#base'
import type { Viewer } from '#base/http'
import type { Engine } from '#engine'
import {
  type ChangeLog,
  ChangesLost,
  type DeliveryAttempt,
  type DeliveryLease,
  type LogPoint,
  type NewDelivery,
  type Webhook,
  type WebhookDelivery,
  type WebhookOwner,
  type WebhookStore,
} from '#store'
import type { ChangeFeed } from '../feed/feed.ts'
import type { Interests, RenderedEvent } from '../feed/interest.ts'
import { type SendOptions, send } from './send.ts'
import { backoffMs, retryDelayMs, type WebhookSettings } from './settings.ts'
import { signedHeaders } from './signature.ts'
import { webhookInterests } from './subscription.ts'

/** Finds out with whose permissions a webhook reads the log. */
export interface WebhookOwners {
  ownerOf(viewer: Viewer): Promise<WebhookOwner>
  /** The owner with current roles; null if the account was deleted or the key revoked. */
  currentViewer(owner: WebhookOwner): Promise<Viewer | null>
}

export interface WebhookRunnerOptions {
  /** The id of this node, which holds leases and claims. */
  holder: string
  records: WebhookStore
  engine: Engine
  events: ChangeFeed
  changes: Pick<ChangeLog, 'newestEpoch'>
  settings: WebhookSettings
  sending: SendOptions
  log: Log
  clock: () => number
  owners: WebhookOwners
  /** The webhook was changed or deleted. */
  onWebhookChanged(): void
  /** An attempt is over. The current runner of the webhook continues, which is another one after a change. */
  onAttemptFinished(): void
}

/** A lease lasts twice the timeout of an attempt, within these bounds. */
const maxLeaseMs = 30_000
const minLeaseMs = 5_000 // tolerates clock differences between nodes
const pollIntervalMs = 5_000
const saveCursorIntervalMs = 10_000
const failureDelayMs = 1_000

const maxConcurrentAttempts = 8
const maxPendingDeliveries = 500
const pageSize = 100
const maxStoredAttempts = 40
/** The longest delay that a receiver may request with `Retry-After`. */
const maxRetryAfterSeconds = 3600

/** The stored cursor and the point read to. They differ while no change matches. */
interface ReadState {
  cursor: LogPoint
  point: LogPoint
}

export class WebhookRunner {
  readonly webhook: Webhook
  readonly #options: WebhookRunnerOptions
  readonly #leaseMs: number
  readonly #sending = new Set<Promise<void>>()
  #interests: { key: string; interests: Interests } | null = null
  #isDue = false
  #running: Promise<void> | null = null
  #isStopped = false
  #timer: NodeJS.Timeout | null = null
  #timerAt = Number.POSITIVE_INFINITY
  /** Null before the first lease. */
  #at: ReadState | null = null
  /** The last change that was queued or sent here; null: none. */
  #told: LogPoint | null = null
  /** The newest epoch when `#told` was last checked. */
  #checkedEpoch: string
  #saved = 0
  #leasedUntil = 0
  #failures = 0
  #backoffUntil = 0

  constructor(webhook: Webhook, options: WebhookRunnerOptions) {
    this.webhook = webhook
    this.#options = options
    this.#checkedEpoch = options.changes.newestEpoch
    this.#leaseMs = Math.min(maxLeaseMs, Math.max(minLeaseMs, 2000 * options.settings.timeoutSeconds))
  }

  wake(): void {
    this.#isDue = true
    if (this.#isStopped) return
    this.#running ??= this.#run().finally(() => {
      this.#running = null
      if (this.#isDue) this.wake()
    })
  }

  /** Starts no new attempts; resolves when none is running. */
  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#running
    await Promise.all(this.#sending)
  }

  async #run(): Promise<void> {
    while (this.#isDue && !this.#isStopped) {
      this.#isDue = false
      try {
        const viewer = await this.#currentViewer()
        if (viewer === null) return
        await this.#expectToldChanges()
        await this.#queueDeliveries(viewer, this.#interestsFor(viewer))
        await this.#deliver()
      } catch (error) {
        if (error instanceof ChangesLost) await this.#rewind(error)
        else if (error instanceof ApiError && error.code === 'GONE') await this.#pause(prunedChanges)
        else if (error instanceof ApiError && error.code === 'VALIDATION_FAILED')
          await this.#pause(invalidFilter(error))
        else this.#logFailure(error)
      }
    }
  }

  /** See 5. */
  async #rewind({ kept }: ChangesLost): Promise<void> {
    const isStored = this.#leasedUntil === 0 // the stored cursor itself is lost
    const wasTold = this.#told !== null && (kept === null || this.#told.position > kept.position)
    if (isStored || wasTold) return this.#pause(lostChanges)
    this.#leasedUntil = 0
    this.#isDue = true
  }

  /** See 5. Another node may read the log now, so this node looks for itself, once in each epoch. */
  async #expectToldChanges(): Promise<void> {
    const { changes, events } = this.#options
    const { newestEpoch } = changes
    if (newestEpoch === this.#checkedEpoch) return
    if (this.#told !== null) await events.expectStored(this.#told).catch(ignorePruned)
    this.#checkedEpoch = newestEpoch
  }

  #tell({ epoch, position }: LogPoint): void {
    if (this.#told === null || this.#told.epoch !== epoch || this.#told.position < position)
      this.#told = { epoch, position }
  }

  async #currentViewer(): Promise<Viewer | null> {
    const viewer = await this.#options.owners.currentViewer(this.webhook.owner)
    if (viewer === null)
      await this.#pause('Its owner no longer exists: the account was deleted or the API key was revoked.')
    return viewer
  }

  #interestsFor(viewer: Viewer): Interests {
    const { engine, events } = this.#options
    const key = JSON.stringify([viewer.account, viewer.roles])
    if (this.#interests?.key !== key)
      this.#interests = { key, interests: webhookInterests(this.webhook, viewer, engine, events) }
    return this.#interests.interests
  }

  async #queueDeliveries(viewer: Viewer, full: Interests): Promise<void> {
    const at = await this.#lease()
    if (at === null) return
    const { records, events, clock } = this.#options
    const { id } = this.webhook
    const interests = idsOnly(full)
    let waiting = await records.pending(id)
    while (waiting < maxPendingDeliveries && !this.#isStopped) {
      const page = await events.page(interests, viewer, at.point, pageSize)
      const deliveries = page.events.map((event) => this.#newDelivery(event))
      const isOld = !isSame(page.point, at.cursor) && clock() - this.#saved >= saveCursorIntervalMs
      if (deliveries.length > 0 || isOld) {
        if (!(await this.#saveDeliveries(at, page.point, deliveries))) return
      }
      at.point = page.point
      waiting += deliveries.length
      if (page.hasNextPage) continue
      if (!isSame(page.point, at.cursor)) this.#wakeIn(saveCursorIntervalMs)
      return
    }
  }

  /** False if another node has advanced the cursor meanwhile. */
  async #saveDeliveries(at: ReadState, to: LogPoint, deliveries: readonly NewDelivery[]): Promise<boolean> {
    const { records, clock, settings } = this.#options
    const now = clock()
    const until = now + settings.retryWindowSeconds * 1000
    const { id: webhook, version } = this.webhook
    const isSaved = await records.feed({ webhook, version, from: at.cursor, to, deliveries, now, until })
    if (!isSaved) {
      this.#leasedUntil = 0
      this.#isDue = true
      return false
    }
    at.cursor = to
    this.#saved = now
    if (deliveries.length > 0) this.#tell(to)
    return true
  }

  /** The message id depends on the webhook and the change only, so each node and each retry uses the same id. */
  #newDelivery({ position, cursor, text }: RenderedEvent): NewDelivery {
    const { subject, type } = JSON.parse(text) as Pick<NewDelivery, 'subject' | 'type'>
    const id = `msg_${hash('sha256', `${this.webhook.id} ${cursor}`, 'base64url').slice(0, 22)}`
    return { id, position, subject, type }
  }

  /** Null if another node has the lease. */
  async #lease(): Promise<ReadState | null> {
    const { records, events, clock } = this.#options
    const now = clock()
    if (this.#at !== null && this.#leasedUntil - now > this.#leaseMs / 2) return this.#at
    const { id, version } = this.webhook
    const cursor = await records.lease(id, version, this.#leaseFrom(now))
    if (cursor === null) {
      this.#leasedUntil = 0
      if (!(await this.#isChanged())) this.#wakeIn(pollIntervalMs)
      return null
    }
    if (this.#at === null || this.#leasedUntil === 0 || !isSame(cursor, this.#at.cursor)) {
      this.#leasedUntil = 0
      await events.expectStored(cursor)
      this.#at = { cursor, point: cursor }
      this.#saved = now
    }
    this.#leasedUntil = now + this.#leaseMs
    return this.#at
  }

  #leaseFrom(now: number): DeliveryLease {
    return { holder: this.#options.holder, now, until: now + this.#leaseMs }
  }

  async #deliver(): Promise<void> {
    const { records, clock } = this.#options
    const now = clock()
    if (now < this.#backoffUntil) return this.#wakeIn(this.#backoffUntil - now)
    const { id, version } = this.webhook
    const free = (this.#failures > 2 ? 1 : maxConcurrentAttempts) - this.#sending.size
    if (free <= 0 || this.#isStopped) return
    const next = await records.nextDue(id, now) // a read first, so that an idle webhook causes no write
    if (next === null) return
    if (next > now) return this.#wakeIn(next - now)
    const claimed = await records.claim(id, version, free, this.#leaseFrom(now))
    if (claimed.length === 0) {
      if (!(await this.#isChanged())) this.#wakeIn(pollIntervalMs)
      return
    }
    const events = await this.#renderClaimed(claimed)
    if (events === null) return
    for (const delivery of claimed) {
      const event = events.get(delivery.position)
      if (event !== undefined) this.#tell(event)
      const attempt = event === undefined ? this.#drop(delivery) : this.#attempt(delivery, event.text)
      const sending = attempt
        .catch((error) => this.#logFailure(error))
        .finally(() => {
          this.#sending.delete(sending)
          this.#options.onAttemptFinished()
        })
      this.#sending.add(sending)
    }
    if (claimed.length < free) this.#isDue = true
  }

  /** Renders with permissions read after the claim: an owner that lost a permission before a change never receives it. */
  async #renderClaimed(claimed: readonly WebhookDelivery[]): Promise<Map<number, RenderedEvent> | null> {
    const { records, events, clock, holder } = this.#options
    const viewer = await this.#currentViewer()
    if (viewer !== null) {
      const positions = claimed.map(({ position }) => position)
      return events.eventsAt(positions, this.#interestsFor(viewer), viewer)
    }
    for (const { id, attempts } of claimed) {
      await records.finish(id, holder, { state: 'pending', due: clock(), attempts })
    }
    return null
  }

  async #attempt(delivery: WebhookDelivery, body: string): Promise<void> {
    const { sending, clock, holder, records, settings } = this.#options
    const { id, attempts } = delivery
    const { url, secret } = this.webhook
    const headers = {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'user-agent': 'Twain',
      ...signedHeaders(id, body, secret, clock()),
    }
    const { retryAfterSeconds: retryAfter, ...attempt } = await send({ url, headers, body }, sending)
    const now = clock()
    if (sending.signal.aborted && attempt.status === null) {
      await records.finish(id, holder, { state: 'pending', due: now, attempts }) // another node sends it
      return
    }
    const made = [...attempts, attempt].slice(-maxStoredAttempts)
    if (attempt.error === null) {
      this.#failures = 0
      this.#backoffUntil = 0
      await this.#finish(delivery, { state: 'delivered', finished: now, attempts: made })
      return
    }
    this.#failures++
    this.#backoffUntil = now + backoffMs(this.#failures, settings)
    const requestedDelayMs = Math.min(maxRetryAfterSeconds, retryAfter ?? 0) * 1000
    const due = now + Math.max(requestedDelayMs, retryDelayMs(this.#attemptsInWindow(made, delivery), settings))
    // If the webhook was changed, the attempt went to the old receiver: the new one gets the delivery at once.
    if (await this.#isChanged()) await this.#finish(delivery, { state: 'pending', due: now, attempts: made })
    else if (attempt.status === 410) await this.#giveUp(delivery, made, 'The receiver answered 410 Gone.')
    else if (due > delivery.until) await this.#giveUp(delivery, made, null)
    else await this.#finish(delivery, { state: 'pending', due, attempts: made })
  }

  /** After a redelivery or a change of the webhook, earlier attempts do not count. */
  #attemptsInWindow(made: readonly DeliveryAttempt[], { until }: WebhookDelivery): number {
    const began = until - this.#options.settings.retryWindowSeconds * 1000
    return made.filter(({ at }) => at >= began).length
  }

  /** Pauses the webhook if its receiver accepted nothing during the whole retry window. */
  async #giveUp(delivery: WebhookDelivery, attempts: DeliveryAttempt[], why: string | null): Promise<void> {
    const { records, clock, settings } = this.#options
    await this.#finish(delivery, { state: 'failed', finished: clock(), attempts })
    if (why !== null) await this.#pause(why)
    else if (!(await records.deliveredSince(this.webhook.id, delivery.created))) {
      await this.#pause(
        `The receiver accepted nothing for ${formatDuration(settings.retryWindowSeconds)}. Last error: ${attempts.at(-1)?.error}`,
      )
    }
  }

  #drop(delivery: WebhookDelivery): Promise<void> {
    const { attempts } = delivery
    return this.#finish(delivery, { state: 'dropped', finished: this.#options.clock(), attempts })
  }

  /** Retries while the database is unavailable, so that the receiver does not get the delivery twice. */
  async #finish({ id }: WebhookDelivery, outcome: Parameters<WebhookStore['finish']>[2]): Promise<void> {
    const { records, holder } = this.#options
    for (let attempt = 1; ; attempt++) {
      try {
        await records.finish(id, holder, outcome)
        return
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE' || attempt === 8) throw error
        await new Promise((resolve) => setTimeout(resolve, failureDelayMs))
      }
    }
  }

  async #pause(why: string): Promise<void> {
    const { records, log, clock, onWebhookChanged } = this.#options
    const { id, url, version } = this.webhook
    if (await records.pause(id, version, why, clock())) {
      log.warn({ webhook_id: id, receiver: new URL(url).host, reason: why }, 'webhook paused')
    }
    onWebhookChanged()
  }

  async #isChanged(): Promise<boolean> {
    const { id, version } = this.webhook
    const now = await this.#options.records.find(id)
    if (now?.active === true && now.version === version) return false
    this.#options.onWebhookChanged()
    return true
  }

  #logFailure(error: unknown): void {
    const fields = { webhook_id: this.webhook.id, ...exceptionFields(error) }
    this.#options.log.warn(fields, 'webhook could not be processed; retrying')
    this.#wakeIn(failureDelayMs)
  }

  /** Keeps the earliest of the requested times. */
  #wakeIn(time: number): void {
    const at = performance.now() + Math.max(10, time)
    if (this.#isStopped || at >= this.#timerAt) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(
      () => {
        this.#timerAt = Number.POSITIVE_INFINITY
        this.wake()
      },
      Math.min(0x7fffffff, Math.max(10, time)),
    )
    this.#timer.unref()
  }
}

/** Renders ids only: queueing needs no row data. */
function idsOnly(interests: Interests): Interests {
  return new Map(
    [...interests].map(([of, interest]) => [
      of,
      {
        ...interest,
        key: 'webhook',
        format: ({ change, event }) =>
          JSON.stringify({ subject: `${of.name}:${change.id}`, type: `${of.single}.${event.kind}` }),
      },
    ]),
  )
}

const prunedChanges =
  'Changes were pruned before the webhook received them. Read the rows, then set active to true: it continues with new changes.'

const lostChanges =
  'The database has lost changes that the webhook may have sent: it was restored, or a failover lost commits. Read the rows, then set active to true.'

/** What was told long ago is no longer stored, and was not lost. */
function ignorePruned(error: unknown): void {
  if (error instanceof ChangesLost || !(error instanceof ApiError) || error.code !== 'GONE') throw error
}

function isSame(a: LogPoint, b: LogPoint): boolean {
  return a.position === b.position && a.epoch === b.epoch
}

function invalidFilter({ message }: ApiError): string {
  return `Its filter no longer fits the schema: ${message}`
}

function formatDuration(seconds: number): string {
  const days = seconds / 86_400
  return days >= 1 ? `${Math.round(days)} days` : `${seconds} s`
}
