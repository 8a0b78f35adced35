// Creates, reads, updates and deletes webhooks, and lists their deliveries. The deliverer picks up each change.

import { isDeepStrictEqual } from 'node:util'
import { ApiError, isRecord, uuidv7, validationError } from '#base'
import type { IdempotencyKey, Viewer } from '#base/http'
import {
  type IdempotentResult,
  type LogPoint,
  requireUnmodified,
  requireVersion,
  type VersionPreconditions,
  type Webhook,
  type WebhookDelivery,
} from '#store'
import { WebhookDeliverer, type WebhookDelivererOptions } from './webhook-deliverer.ts'
import { emptyWebhookInput, readWebhookInput, type WebhookInput } from './webhook-input.ts'

/** Times are RFC 3339 in UTC. */
export interface WebhookView {
  id: string
  url: string
  events: readonly string[]
  where: unknown
  active: boolean
  /** Why the server paused it; null if it did not. */
  paused: string | null
  createdAt: string
  updatedAt: string
  /** Increases with each change; preconditions compare it. */
  version: number
  /** Only in the response of the write that set it. */
  secret?: string
}

export interface DeliveryView {
  id: string
  type: string
  /** The cursor of the change. */
  event: string
  state: WebhookDelivery['state']
  createdAt: string
  /** Null while it is pending. */
  finishedAt: string | null
  /** The time of the next attempt; null if there is none. */
  nextAt: string | null
  attempts: AttemptView[]
}

interface AttemptView {
  at: string
  /** Milliseconds. */
  took: number
  status: number | null
  answer: string | null
  error: string | null
}

/** What the stored webhook must fulfil before a write; `unmodifiedSince` is in milliseconds since 1970. */
export interface WebhookPrecondition extends VersionPreconditions {
  unmodifiedSince: number | null
}

export interface WebhookWriteOptions {
  idempotencyKey?: IdempotencyKey | null
  precondition?: WebhookPrecondition | null
}

/** `replayed`: an earlier request with the same idempotency key had this result. */
export interface IdempotentOutcome<T> {
  value: T
  replayed: boolean
}

/** The result of a write that met a concurrent change; it is tried again. */
const conflict = Symbol('conflict')

/** The idempotency record that is stored with the write; null without a key. */
type RecordResult<T> = (answer: T) => IdempotentResult | null

const maxWebhooks = 100
/** How often a write is tried that meets concurrent changes. */
const maxAttempts = 5

export class WebhookAdmin {
  readonly #options: WebhookDelivererOptions
  readonly #deliverer: WebhookDeliverer

  constructor(options: WebhookDelivererOptions) {
    this.#options = options
    this.#deliverer = new WebhookDeliverer(options)
  }

  start(): Promise<void> {
    return this.#deliverer.refresh()
  }

  stop(): Promise<void> {
    return this.#deliverer.stop()
  }

  get activeCount(): number {
    return this.#deliverer.activeCount
  }

  async list(): Promise<WebhookView[]> {
    return (await this.#options.records.list()).map(toView)
  }

  async find(id: string): Promise<WebhookView | null> {
    const webhook = await this.#options.records.find(id)
    return webhook === null ? null : toView(webhook)
  }

  /** Throws an ApiError with every problem that the input alone shows. */
  validate(input: unknown, isNew: boolean, viewer: Viewer): void {
    readWebhookInput(input, isNew ? null : emptyWebhookInput, this.#inputContext(viewer))
  }

  create(
    input: unknown,
    viewer: Viewer,
    { idempotencyKey = null }: WebhookWriteOptions = {},
  ): Promise<IdempotentOutcome<WebhookView>> {
    return this.#idempotent<WebhookView>(idempotencyKey, async (recordResult) => {
      const { records, owners, events, clock } = this.#options
      const webhookInput = readWebhookInput(input, null, this.#inputContext(viewer))
      const now = clock()
      const webhook: Webhook = {
        id: uuidv7(now),
        ...webhookInput,
        paused: null,
        owner: await owners.ownerOf(viewer),
        version: 1,
        created: now,
        changed: now,
        cursor: await events.point('now'),
      }
      const view = { ...toView(webhook), secret: webhook.secret }
      if (!(await records.add(webhook, maxWebhooks, recordResult(view))))
        return this.#conflictUnlessRecorded(idempotencyKey, tooMany())
      await this.#deliverer.refresh()
      return view
    })
  }

  /** Null if there is no such webhook. */
  update(
    id: string,
    input: unknown,
    viewer: Viewer,
    { idempotencyKey = null, precondition = null }: WebhookWriteOptions = {},
  ) {
    return this.#idempotent<WebhookView | null>(idempotencyKey, async (recordResult) => {
      const { records, clock, owners, settings } = this.#options
      const before = await this.#findMatching(id, precondition)
      if (before === null) return null
      const reader = changesDelivery(input, before) ? viewer : ((await owners.currentViewer(before.owner)) ?? viewer)
      const webhookInput = readWebhookInput(input, before, this.#inputContext(reader))
      if (isDeepStrictEqual(webhookInput, inputOf(before))) {
        const result = recordResult(toView(before))
        if (result !== null) await records.saveResult(result)
        return toView(before)
      }
      const isActivated = webhookInput.active && !before.active
      const hasNewReceiver = webhookInput.url !== before.url || webhookInput.secret !== before.secret
      const now = clock()
      const after: Webhook = {
        ...before,
        ...webhookInput,
        paused: isActivated ? null : before.paused,
        owner: changesDelivery(webhookInput, before) ? await owners.ownerOf(viewer) : before.owner,
        version: await records.nextVersion(before.version),
        changed: now,
      }
      const cursor = isActivated ? await this.#resumePoint(before.cursor) : null
      const windowMs = settings.retryWindowSeconds * 1000
      const restart = isActivated || hasNewReceiver ? { windowMs, cursor } : null
      const view = { ...toView(after), ...(after.secret === before.secret ? {} : { secret: after.secret }) }
      if (!(await records.save(after, before.version, restart, recordResult(view)))) return conflict
      await this.#deliverer.refresh()
      return view
    })
  }

  delete(
    id: string,
    { idempotencyKey = null, precondition = null }: WebhookWriteOptions = {},
  ): Promise<IdempotentOutcome<{ found: boolean }>> {
    return this.#idempotent(idempotencyKey, async (recordResult) => {
      const { records } = this.#options
      const before = await this.#findMatching(id, precondition)
      if (before === null) return { found: false }
      const version = precondition === null ? null : before.version
      if (!(await records.remove(id, version, recordResult({ found: true })))) return conflict
      await this.#deliverer.refresh()
      return { found: true }
    })
  }

  /** Newest first; null if there is no such webhook. */
  async deliveries(id: string, offset: number, limit: number): Promise<DeliveryView[] | null> {
    const { records } = this.#options
    if ((await records.find(id)) === null) return null
    return (await records.deliveries(id, offset, limit)).map((delivery) => this.#toDelivery(delivery))
  }

  /** Null if there is no such webhook. */
  redeliver(
    id: string,
    delivery: unknown,
    { idempotencyKey = null }: WebhookWriteOptions = {},
  ): Promise<IdempotentOutcome<DeliveryView | null>> {
    return this.#idempotent<DeliveryView | null>(idempotencyKey, async (recordResult) => {
      const { records, clock, settings } = this.#options
      const webhook = await records.find(id)
      if (webhook === null) return null
      const found = await this.#findDelivery(id, delivery)
      if (!webhook.active) {
        throw new ApiError('CONFLICT', 'The webhook is not active.', { hint: 'Set active to true first.' })
      }
      const view = this.#toDelivery({ ...found, state: 'pending', finished: null, due: clock() })
      if (!(await records.sendAgain(id, found.id, settings.retryWindowSeconds * 1000, recordResult(view)))) {
        return this.#conflictUnlessRecorded(idempotencyKey, new ApiError('CONFLICT', 'The delivery is still pending.'))
      }
      this.#deliverer.wake()
      return view
    })
  }

  async #findDelivery(id: string, delivery: unknown): Promise<WebhookDelivery> {
    if (typeof delivery !== 'string') {
      const code = delivery === undefined ? 'REQUIRED' : 'TYPE'
      throw validationError([{ path: 'delivery', code, message: 'must be the id of a delivery.' }])
    }
    const found = await this.#options.records.findDelivery(id, delivery)
    if (found !== null) return found
    const message = `There is no delivery "${delivery}" of this webhook.`
    throw validationError([{ path: 'delivery', code: 'REFERENCE', message }], 'CONFLICT')
  }

  /** Runs the write, or returns the recorded result of the same key. A write and its record share a transaction; a failed
   *  write records nothing. */
  async #idempotent<T extends object | null>(
    idempotencyKey: IdempotencyKey | null,
    write: (recordResult: RecordResult<T & object>) => Promise<T | typeof conflict>,
  ): Promise<IdempotentOutcome<T>> {
    const { records, clock } = this.#options
    const recordResult: RecordResult<T & object> = (answer) =>
      idempotencyKey === null ? null : { key: idempotencyKey, answer, now: clock() }
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const recorded = idempotencyKey === null ? null : await records.recall<T & object>(idempotencyKey, clock())
      if (recorded !== null) return { value: recorded, replayed: true }
      const outcome = await write(recordResult)
      if (outcome !== conflict) return { value: outcome as T, replayed: false }
    }
    throw new ApiError('CONFLICT', 'The webhook is being changed by other requests.', { hint: 'Try again.' })
  }

  /** Throws, unless a concurrent request with the same key has recorded its result meanwhile. */
  async #conflictUnlessRecorded(idempotencyKey: IdempotencyKey | null, error: ApiError): Promise<typeof conflict> {
    const { records, clock } = this.#options
    if (idempotencyKey === null || (await records.recall(idempotencyKey, clock())) === null) throw error
    return conflict
  }

  /** Throws an ApiError if the webhook does not fulfil the precondition. */
  async #findMatching(id: string, precondition: WebhookPrecondition | null): Promise<Webhook | null> {
    const found = await this.#options.records.find(id)
    if (precondition === null) return found
    requireVersion('Webhook', found, precondition)
    const { unmodifiedSince } = precondition
    if (found !== null && unmodifiedSince !== null) {
      requireUnmodified('Webhook', formatTime(found.changed), formatTime(unmodifiedSince))
    }
    return found
  }

  #inputContext(viewer: Viewer) {
    const { engine, settings } = this.#options
    return { viewer, engine, allowPrivate: settings.allowPrivate }
  }

  /** A webhook continues where it stopped if the log still has those changes; otherwise with new changes. */
  async #resumePoint(point: LogPoint): Promise<LogPoint> {
    const { events } = this.#options
    try {
      await events.expectStored(point)
      return point
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      return events.point('now')
    }
  }

  #toDelivery({ id, type, position, state, created, finished, due, attempts }: WebhookDelivery): DeliveryView {
    return {
      id,
      type,
      event: this.#options.events.cursor(this.#options.changes.point(position)),
      state,
      createdAt: formatTime(created),
      finishedAt: finished === null ? null : formatTime(finished),
      nextAt: state === 'pending' ? formatTime(due) : null,
      attempts: attempts.map((attempt) => ({ ...attempt, at: formatTime(attempt.at) })),
    }
  }
}

function tooMany(): ApiError {
  return new ApiError('CONFLICT', `There are ${maxWebhooks} webhooks already.`, {
    hint: 'Delete one that is not needed.',
  })
}

const deliveryFields = ['url', 'events', 'where', 'secret'] as const

/** Whether the input changes what the webhook sends, or to whom. Whoever does that owns the webhook from then on: otherwise it
 *  would send the rows of its former owner to somebody else's address. */
function changesDelivery(input: unknown, before: Webhook): boolean {
  if (!isRecord(input)) return false
  return deliveryFields.some((name) => input[name] !== undefined && !isDeepStrictEqual(input[name], before[name]))
}

function inputOf({ url, events, where, secret, active }: Webhook): WebhookInput {
  return { url, events, where, secret, active }
}

function toView({ id, url, events, where, active, paused, created, changed, version }: Webhook): WebhookView {
  return {
    id,
    url,
    events,
    where,
    active,
    paused,
    createdAt: formatTime(created),
    updatedAt: formatTime(changed),
    version,
  }
}

const formatTime = (time: number): string => new Date(time).toISOString()
