// Runs one webhook: enqueues deliveries from the change log, and sends those that the worker has claimed.
//
// 1. One node holds the lease and enqueues deliveries; any node may send them. Leases end, so a node that dies delays a webhook by
//    at most 30 s.
// 2. An attempt ends before its lease, so no other node sends the same delivery meanwhile.
// 3. Each attempt reads the change from the log again, with the current permissions of the webhook's owner.
// 4. While `maxPendingDeliveries` wait, the runner reads no further changes: the log keeps them.
// 5. If the database has lost changes that were queued or sent here, the webhook is paused: its receiver may have got them.
//    Otherwise the runner continues at the stored cursor.

import { hash } from 'node:crypto'
import { ApiError, exceptionFields, type Log, type Tracing } from '#base'
import type { Viewer } from '#base/http'
import { monotonicTime } from '#base/time'
import type { Engine } from '#engine'
import { type RunningJob, retryDelayMs, WakeLoop } from '#jobs'
import {
  type ChangeLog,
  ChangesLost,
  type DeliveryAttempt,
  type JobLease,
  type JobOutcome,
  type LogPoint,
  type NewDelivery,
  type StoreClock,
  toDelivery,
  type Webhook,
  type WebhookDelivery,
  type WebhookOwner,
  type WebhookStore,
} from '#store'
import { runTraced } from '../change-trace.ts'
import type { ChangeFeed } from '../feed/feed.ts'
import type { Interests, RenderedEvent } from '../feed/interest.ts'
import { type SendOptions, type SendResult, send } from './send.ts'
import { backoffMs, type WebhookSettings } from './settings.ts'
import { signedHeaders } from './signature.ts'
import { webhookInterests } from './subscription.ts'

/** Finds out with whose permissions a webhook reads the log. */
export interface WebhookOwners {
  ownerOf(viewer: Viewer): Promise<WebhookOwner>
  /** The owner with current roles; null if the account was deleted or locked, or the key revoked. */
  currentViewer(owner: WebhookOwner): Promise<Viewer | null>
}

export interface WebhookRunnerOptions {
  lease: JobLease
  records: WebhookStore
  engine: Engine
  events: ChangeFeed
  changes: Pick<ChangeLog, 'newestEpoch'>
  settings: WebhookSettings
  sending: Omit<SendOptions, 'signal'>
  log: Log
  tracing?: Tracing | null | undefined
  clock: () => number
  /** Says how old deliveries are. */
  ages: StoreClock
  owners: WebhookOwners
  /** The webhook was changed or deleted. */
  onWebhookChanged(): void
  /** Deliveries may be due in so many milliseconds. */
  onDue(milliseconds: number): void
}

/** The headers of every message, beside those of its signature. */
export const messageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'application/cloudevents+json; charset=utf-8',
  'user-agent': 'Twain',
}

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
  readonly #loop = new WakeLoop(() => this.#pass())
  #interests: { key: string; interests: Interests } | null = null
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
  }

  wake(): void {
    this.#loop.wake()
  }

  /** Reads no further changes. */
  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** How many deliveries may be sent at once just now. */
  get capacity(): number {
    if (this.#loop.isStopped || monotonicTime() < this.#backoffUntil) return 0
    return this.#failures > 2 ? 1 : maxConcurrentAttempts
  }

  /** Sends claimed deliveries, with permissions read after the claim: an owner that lost a permission before a change never
   *  receives it. */
  send(jobs: readonly RunningJob[]): Promise<JobOutcome>[] {
    const deliveries = jobs.map(toDelivery)
    const rendering = this.#render(deliveries).catch(async (error) => {
      await this.#recover(error)
      return null
    })
    return deliveries.map(async (delivery, index): Promise<JobOutcome> => {
      const events = await rendering
      if (events === null) return released(delivery)
      const event = events.get(delivery.position)
      if (event === undefined) return { state: 'cancelled', attempts: delivery.attempts }
      this.#tell(event)
      return this.#attempt(delivery, event, jobs[index]!.signal)
    })
  }

  /** Whether a client or another node has changed the webhook meanwhile. */
  async isChanged(): Promise<boolean> {
    const { id, version } = this.webhook
    const now = await this.#options.records.find(id)
    if (now?.active === true && now.version === version) return false
    this.#options.onWebhookChanged()
    return true
  }

  async #pass(): Promise<void> {
    try {
      const viewer = await this.#currentViewer()
      if (viewer === null) return
      await this.#expectToldChanges()
      await this.#queueDeliveries(viewer, this.#interestsFor(viewer))
    } catch (error) {
      await this.#recover(error)
    }
  }

  async #recover(error: unknown): Promise<void> {
    try {
      if (error instanceof ChangesLost) await this.#rewind(error)
      else if (error instanceof ApiError && error.code === 'GONE') await this.#pause(prunedChanges)
      else if (error instanceof ApiError && error.code === 'VALIDATION_FAILED') await this.#pause(invalidFilter(error))
      else this.#logFailure(error)
    } catch (failure) {
      this.#logFailure(failure)
    }
  }

  /** See 5. */
  async #rewind({ kept }: ChangesLost): Promise<void> {
    const isStored = this.#leasedUntil === 0 // the stored cursor itself is lost
    const wasTold = this.#told !== null && (kept === null || this.#told.position > kept.position)
    if (isStored || wasTold) return this.#pause(lostChanges)
    this.#leasedUntil = 0
    this.wake()
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
      await this.#pause('Its owner has no rights: the account was deleted or locked, or the API key was revoked.')
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
    const { records, events } = this.#options
    const { id } = this.webhook
    const interests = idsOnly(full)
    let waiting = await records.pending(id)
    while (waiting < maxPendingDeliveries && !this.#loop.isStopped) {
      const page = await events.page(interests, viewer, at.point, pageSize, 'announced')
      const deliveries = page.events.map((event) => this.#newDelivery(event))
      const isOld = !isSame(page.point, at.cursor) && monotonicTime() - this.#saved >= saveCursorIntervalMs
      if (deliveries.length > 0 || isOld) {
        if (!(await this.#saveDeliveries(at, page.point, deliveries))) return
      }
      at.point = page.point
      waiting += deliveries.length
      if (page.hasNextPage) continue
      if (!isSame(page.point, at.cursor)) this.#loop.wakeIn(saveCursorIntervalMs)
      return
    }
  }

  /** False if another node has advanced the cursor meanwhile. */
  async #saveDeliveries(at: ReadState, to: LogPoint, deliveries: readonly NewDelivery[]): Promise<boolean> {
    const { records, settings, onDue } = this.#options
    const windowMs = settings.retryWindowSeconds * 1000
    const { id: webhook, version } = this.webhook
    const isSaved = await records.feed({ webhook, version, from: at.cursor, to, deliveries, windowMs })
    if (!isSaved) {
      this.#leasedUntil = 0
      this.wake()
      return false
    }
    at.cursor = to
    this.#saved = monotonicTime()
    if (deliveries.length > 0) {
      this.#tell(to)
      onDue(0)
    }
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
    const { records, events, lease } = this.#options
    const now = monotonicTime()
    if (this.#at !== null && this.#leasedUntil - now > lease.leaseMs / 2) return this.#at
    const { id, version } = this.webhook
    const cursor = await records.lease(id, version, lease)
    if (cursor === null) {
      this.#leasedUntil = 0
      if (!(await this.isChanged())) this.#loop.wakeIn(pollIntervalMs)
      return null
    }
    if (this.#at === null || this.#leasedUntil === 0 || !isSame(cursor, this.#at.cursor)) {
      this.#leasedUntil = 0
      await events.expectStored(cursor)
      this.#at = { cursor, point: cursor }
      this.#saved = now
    }
    this.#leasedUntil = now + lease.leaseMs
    return this.#at
  }

  async #render(deliveries: readonly WebhookDelivery[]): Promise<Map<number, RenderedEvent> | null> {
    const viewer = await this.#currentViewer()
    if (viewer === null) return null
    const positions = deliveries.map(({ position }) => position)
    return this.#options.events.eventsAt(positions, this.#interestsFor(viewer), viewer)
  }

  async #attempt(delivery: WebhookDelivery, event: RenderedEvent, signal: AbortSignal): Promise<JobOutcome> {
    const { ages, settings, onDue } = this.#options
    const { attempts } = delivery
    const { retryAfterSeconds: retryAfter, ...attempt } = await this.#post(delivery, event, signal)
    if (signal.aborted && attempt.status === null) return released(delivery) // another node sends it
    const made = [...attempts, attempt].slice(-maxStoredAttempts)
    if (attempt.error === null) {
      this.#failures = 0
      this.#backoffUntil = 0
      return { state: 'done', attempts: made }
    }
    this.#failures++
    const backoff = backoffMs(this.#failures, settings)
    this.#backoffUntil = monotonicTime() + backoff
    if (backoff > 0) onDue(backoff)
    const requestedDelayMs = Math.min(maxRetryAfterSeconds, retryAfter ?? 0) * 1000
    const delayMs = Math.max(requestedDelayMs, retryDelayMs(this.#attemptsInWindow(made, delivery), settings))
    // If the webhook was changed, the attempt went to the old receiver: the new one gets the delivery at once.
    if (await this.isChanged()) return { state: 'waiting', delayMs: 0, attempts: made }
    if (attempt.status === 410) await this.#pause('The receiver answered 410 Gone.')
    else if (ages.past(settings.retryWindowSeconds * 1000) + delayMs <= delivery.until)
      return { state: 'waiting', delayMs, attempts: made }
    else await this.#pauseIfNothingWasAccepted(delivery, attempt.error)
    return { state: 'failed', attempts: made }
  }

  /** Sends the event, in the trace of the request that made the change. */
  #post({ id, type }: WebhookDelivery, { text, trace }: RenderedEvent, signal: AbortSignal): Promise<SendResult> {
    const { sending, clock, tracing = null } = this.#options
    const { url, secret } = this.webhook
    const headers = { ...messageHeaders, ...signedHeaders(id, text, secret, clock()) }
    return runTraced(tracing, {
      name: `send ${type}`,
      kind: 'producer',
      attributes: {
        'messaging.operation.name': 'send',
        'messaging.operation.type': 'send',
        'messaging.destination.name': type,
        'messaging.message.id': id,
        'messaging.message.body.size': Buffer.byteLength(text),
        'server.address': new URL(url).hostname,
        'twain.webhook.id': this.webhook.id,
      },
      parent: trace,
      run: (traceparent) =>
        send({ url, headers: { ...headers, ...(traceparent && { traceparent }) }, body: text }, { ...sending, signal }),
      failureOf: ({ error }) => (error === null ? null : new Error(error)),
    })
  }

  /** After a redelivery or a change of the webhook, earlier attempts do not count. */
  #attemptsInWindow(made: readonly DeliveryAttempt[], { until }: WebhookDelivery): number {
    const began = until - this.#options.settings.retryWindowSeconds * 1000
    return made.filter(({ at }) => at >= began).length
  }

  /** During the whole retry window. */
  async #pauseIfNothingWasAccepted({ created }: WebhookDelivery, error: string): Promise<void> {
    const { records, settings } = this.#options
    if (await records.deliveredSince(this.webhook.id, created)) return
    const time = formatDuration(settings.retryWindowSeconds)
    await this.#pause(`The receiver accepted nothing for ${time}. Last error: ${error}`)
  }

  async #pause(why: string): Promise<void> {
    const { records, log, clock, onWebhookChanged } = this.#options
    const { id, url, version } = this.webhook
    if (await records.pause(id, version, why, clock())) {
      log.warn({ webhook_id: id, receiver: new URL(url).host, reason: why }, 'webhook paused')
    }
    onWebhookChanged()
  }

  #logFailure(error: unknown): void {
    const fields = { webhook_id: this.webhook.id, ...exceptionFields(error) }
    this.#options.log.warn(fields, 'webhook could not be processed; retrying')
    this.#loop.wakeIn(failureDelayMs)
  }
}

/** Another node, or a later runner of the webhook, sends it. */
export async function releasedJob(job: RunningJob): Promise<JobOutcome> {
  return released(toDelivery(job))
}

/** The attempt was not made. */
function released({ attempts }: WebhookDelivery): JobOutcome {
  return { state: 'waiting', delayMs: failureDelayMs, isReleased: true, attempts }
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
