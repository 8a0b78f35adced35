// One webhook at work: reads the log for it, and sends what is due.
//
// 1. Of several nodes one reads the log for a webhook (a lease); what it finds any node may send (a claim). Both end by
//    themselves, so that a node that dies holds nothing up for longer than 30 s.
// 2. An attempt is over before its claim is: nobody else sends the same meanwhile.
// 3. What is sent is read from the log for each attempt, as the maker of the webhook may see it then.
// 4. The log is the queue: beyond a number of deliveries that wait, nothing more is read from it.

import { hash } from 'node:crypto'
import { ApiError, exceptionFields, type Log, type Viewer } from '#base'
import type { Engine } from '#engine'
import type {
  DeliveryAttempt,
  DeliveryLease,
  NewDelivery,
  Webhook,
  WebhookDelivery,
  WebhookOwner,
  WebhookStore,
} from '#store'
import type { Events } from '../events.ts'
import type { Interests, RenderedEvent } from '../feed/interest.ts'
import { backoffMs, retryDelayMs } from './retries.ts'
import { type SendOptions, send } from './send.ts'
import type { WebhookSettings } from './settings.ts'
import { signedHeaders } from './signature.ts'
import { webhookInterests } from './subscription.ts'

export interface WebhookRunnerOptions {
  /** Of the node. */
  holder: string
  records: WebhookStore
  engine: Engine
  events: Events
  settings: WebhookSettings
  sending: SendOptions
  log: Log
  clock: () => number
  /** Who the maker is as of now; null: nobody any more. */
  asOfNow(maker: WebhookOwner): Promise<Viewer | null>
  /** Somebody has changed the webhook, or it is gone. */
  onWebhookChanged(): void
  /** An attempt is over: whoever works for the webhook by now goes on, which is another once it was changed. */
  onAttemptFinished(): void
}

/** Milliseconds. A lease is twice as long as a receiver has for its answer, within these. */
const longestLease = 30_000
const shortestLease = 5_000 // the clocks of nodes differ
const lookAgain = 5_000
const saveCursor = 10_000
const afterFailure = 1_000

const mostAtOnce = 8
const mostWaiting = 500
const pageSize = 100
const mostAttemptsKept = 40
/** Seconds that a receiver may ask for. */
const longestWish = 3600

export class WebhookRunner {
  readonly webhook: Webhook
  readonly #parts: WebhookRunnerOptions
  readonly #leaseTime: number
  readonly #sending = new Set<Promise<void>>()
  #interests: { key: string; interests: Interests } | null = null
  #isDue = false
  #running: Promise<void> | null = null
  #isStopped = false
  #timer: NodeJS.Timeout | null = null
  #timerAt = Number.POSITIVE_INFINITY
  /** What is kept, and how far the log was read: they differ while nothing is found. */
  #cursor = ''
  #position = -1
  #saved = 0
  #leasedUntil = 0
  #failures = 0
  #holdUntil = 0

  constructor(webhook: Webhook, parts: WebhookRunnerOptions) {
    this.webhook = webhook
    this.#parts = parts
    this.#leaseTime = Math.min(longestLease, Math.max(shortestLease, 2000 * parts.settings.timeoutSeconds))
  }

  wake(): void {
    this.#isDue = true
    if (this.#isStopped) return
    this.#running ??= this.#run().finally(() => {
      this.#running = null
      if (this.#isDue) this.wake()
    })
  }

  /** Begins nothing more; resolves when nothing is under way. */
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
        const viewer = await this.#viewer()
        if (viewer === null) return
        await this.#feed(viewer, this.#interestsFor(viewer))
        await this.#deliver()
      } catch (error) {
        if (error instanceof ApiError && error.code === 'GONE') await this.#pause(lostChanges)
        else if (error instanceof ApiError && error.code === 'VALIDATION_FAILED') await this.#pause(noMoreFits(error))
        else this.#failed(error)
      }
    }
  }

  async #viewer(): Promise<Viewer | null> {
    const viewer = await this.#parts.asOfNow(this.webhook.maker)
    if (viewer === null)
      await this.#pause('Who made it is nobody any more: an account that is gone, or a key that has ended.')
    return viewer
  }

  #interestsFor(viewer: Viewer): Interests {
    const { engine, events } = this.#parts
    const key = JSON.stringify([viewer.account, viewer.roles])
    if (this.#interests?.key !== key)
      this.#interests = { key, interests: webhookInterests(this.webhook, viewer, engine, events) }
    return this.#interests.interests
  }

  async #feed(viewer: Viewer, wanted: Interests): Promise<void> {
    if (!(await this.#isFeeder())) return
    const { records, events, clock } = this.#parts
    const { id } = this.webhook
    const interests = brief(wanted)
    let waiting = await records.pending(id)
    while (waiting < mostWaiting && !this.#isStopped) {
      const page = await events.page(interests, viewer, this.#position, pageSize)
      const deliveries = page.events.map((event) => this.#newDelivery(event))
      const isOld = page.endCursor !== this.#cursor && clock() - this.#saved >= saveCursor
      if (deliveries.length > 0 || isOld) {
        if (!(await this.#keep(page.endCursor, deliveries))) return
      }
      this.#position = page.position
      waiting += deliveries.length
      if (page.hasNextPage) continue
      if (page.endCursor !== this.#cursor) this.#wakeIn(saveCursor)
      return
    }
  }

  /** False: another has moved the cursor meanwhile. */
  async #keep(to: string, deliveries: readonly NewDelivery[]): Promise<boolean> {
    const { records, clock, settings } = this.#parts
    const now = clock()
    const until = now + settings.retryWindowSeconds * 1000
    const { id: webhook, version } = this.webhook
    const kept = await records.feed({ webhook, version, from: this.#cursor, to, deliveries, now, until })
    if (!kept) {
      this.#leasedUntil = 0
      this.#isDue = true
      return false
    }
    this.#cursor = to
    this.#saved = now
    return true
  }

  /** The same change of the same log is the same message, whoever reads it, and however often. */
  #newDelivery({ position, cursor, text }: RenderedEvent): NewDelivery {
    const { subject, type } = JSON.parse(text) as Pick<NewDelivery, 'subject' | 'type'>
    const id = `msg_${hash('sha256', `${this.webhook.id} ${cursor}`, 'base64url').slice(0, 22)}`
    return { id, position, subject, type }
  }

  async #isFeeder(): Promise<boolean> {
    const { records, events, clock } = this.#parts
    const now = clock()
    if (this.#leasedUntil - now > this.#leaseTime / 2) return true
    const { id, version } = this.webhook
    const cursor = await records.lease(id, version, this.#lease(now))
    if (cursor === null) {
      this.#leasedUntil = 0
      if (!(await this.#isChanged())) this.#wakeIn(lookAgain)
      return false
    }
    if (this.#leasedUntil === 0 || cursor !== this.#cursor) {
      this.#cursor = cursor
      this.#position = await events.position(cursor)
      this.#saved = now
    }
    this.#leasedUntil = now + this.#leaseTime
    return true
  }

  #lease(now: number): DeliveryLease {
    return { holder: this.#parts.holder, now, until: now + this.#leaseTime }
  }

  async #deliver(): Promise<void> {
    const { records, clock } = this.#parts
    const now = clock()
    if (now < this.#holdUntil) return this.#wakeIn(this.#holdUntil - now)
    const { id, version } = this.webhook
    const free = (this.#failures > 2 ? 1 : mostAtOnce) - this.#sending.size
    if (free <= 0 || this.#isStopped) return
    const next = await records.nextDue(id, now) // who only looks writes nothing
    if (next === null) return
    if (next > now) return this.#wakeIn(next - now)
    const claimed = await records.claim(id, version, free, this.#lease(now))
    if (claimed.length === 0) {
      if (!(await this.#isChanged())) this.#wakeIn(lookAgain)
      return
    }
    const told = await this.#told(claimed)
    if (told === null) return
    for (const delivery of claimed) {
      const event = told.get(delivery.position)
      const attempt = event === undefined ? this.#drop(delivery) : this.#attempt(delivery, event.text)
      const sending = attempt
        .catch((error) => this.#failed(error))
        .finally(() => {
          this.#sending.delete(sending)
          this.#parts.onAttemptFinished()
        })
      this.#sending.add(sending)
    }
    if (claimed.length < free) this.#isDue = true
  }

  /** Who may see what is asked once more, behind the claim: a right that was taken away before a change never meets it. */
  async #told(claimed: readonly WebhookDelivery[]): Promise<Map<number, RenderedEvent> | null> {
    const { records, events, clock, holder } = this.#parts
    const viewer = await this.#viewer()
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
    const { sending, clock, holder, records, settings } = this.#parts
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
      await records.finish(id, holder, { state: 'pending', due: now, attempts }) // another node goes on
      return
    }
    const made = [...attempts, attempt].slice(-mostAttemptsKept)
    if (attempt.error === null) {
      this.#failures = 0
      this.#holdUntil = 0
      await this.#finish(delivery, { state: 'delivered', finished: now, attempts: made })
      return
    }
    this.#failures++
    this.#holdUntil = now + backoffMs(this.#failures, settings)
    const wish = Math.min(longestWish, retryAfter ?? 0) * 1000
    const due = now + Math.max(wish, retryDelayMs(this.#triesOf(made, delivery), settings))
    // Who was asked is not who is to be asked by now: that one is told at once.
    if (await this.#isChanged()) await this.#finish(delivery, { state: 'pending', due: now, attempts: made })
    else if (attempt.status === 410) await this.#giveUp(delivery, made, 'It answered 410: it wants no more.')
    else if (due > delivery.until) await this.#giveUp(delivery, made, null)
    else await this.#finish(delivery, { state: 'pending', due, attempts: made })
  }

  /** One that was sent again, or whose webhook was mended, is tried as a new one is: what came before does not count. */
  #triesOf(made: readonly DeliveryAttempt[], { until }: WebhookDelivery): number {
    const began = until - this.#parts.settings.retryWindowSeconds * 1000
    return made.filter(({ at }) => at >= began).length
  }

  /** A receiver that took nothing at all for as long is dead: it is left alone until somebody says otherwise. */
  async #giveUp(delivery: WebhookDelivery, attempts: DeliveryAttempt[], why: string | null): Promise<void> {
    const { records, clock, settings } = this.#parts
    await this.#finish(delivery, { state: 'failed', finished: clock(), attempts })
    if (why !== null) await this.#pause(why)
    else if (!(await records.deliveredSince(this.webhook.id, delivery.created))) {
      await this.#pause(
        `It took nothing for ${spellTime(settings.retryWindowSeconds)}. Last: ${attempts.at(-1)?.error}`,
      )
    }
  }

  #drop(delivery: WebhookDelivery): Promise<void> {
    const { attempts } = delivery
    return this.#finish(delivery, { state: 'dropped', finished: this.#parts.clock(), attempts })
  }

  /** A database that is away for a moment makes no receiver hear twice. */
  async #finish({ id }: WebhookDelivery, outcome: Parameters<WebhookStore['finish']>[2]): Promise<void> {
    const { records, holder } = this.#parts
    for (let tries = 1; ; tries++) {
      try {
        await records.finish(id, holder, outcome)
        return
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE' || tries === 8) throw error
        await new Promise((resolve) => setTimeout(resolve, afterFailure))
      }
    }
  }

  async #pause(why: string): Promise<void> {
    const { records, log, clock, onWebhookChanged: changed } = this.#parts
    const { id, url, version } = this.webhook
    if (await records.pause(id, version, why, clock())) {
      log.warn({ webhook_id: id, receiver: new URL(url).host, reason: why }, 'webhook paused')
    }
    changed()
  }

  async #isChanged(): Promise<boolean> {
    const { id, version } = this.webhook
    const now = await this.#parts.records.find(id)
    if (now?.active === true && now.version === version) return false
    this.#parts.onWebhookChanged()
    return true
  }

  #failed(error: unknown): void {
    const fields = { webhook_id: this.webhook.id, ...exceptionFields(error) }
    this.#parts.log.warn(fields, 'webhook could not be processed; retrying')
    this.#wakeIn(afterFailure)
  }

  /** The earliest counts. */
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

/** To find out what there is to send, nobody needs to read it. */
function brief(interests: Interests): Interests {
  return new Map(
    [...interests].map(([of, interest]) => [
      of,
      {
        ...interest,
        key: 'webhook',
        format: ({ change, event: told }) =>
          JSON.stringify({ subject: `${of.name}:${change.id}`, type: `${of.single}.${told.kind}` }),
      },
    ]),
  )
}

const lostChanges =
  'The changes that it had not been told of are not kept any more. Read the rows themselves, then make it active: it begins with now.'

function noMoreFits({ message }: ApiError): string {
  return `Its filter does not fit the contract any more: ${message}`
}

function spellTime(seconds: number): string {
  const days = seconds / 86_400
  return days >= 1 ? `${Math.round(days)} days` : `${seconds} s`
}
