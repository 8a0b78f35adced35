// Writes the types `Webhook` and `WebhookDelivery` for the engine, which has checked the types of the fields and the rules
// (docs/internals/decisions/0054-system-types.md). The deliverer picks up each change.

import { isDeepStrictEqual } from 'node:util'
import { ApiError, uuidv7, validationError } from '#base'
import type { Viewer } from '#base/http'
import type { SystemAnswer, SystemPrecondition, SystemWrite, SystemWritten } from '#engine'
import {
  type LogPoint,
  type RequestedChange,
  requireUnmodified,
  requireVersion,
  type Webhook,
  type WebhookDelivery,
} from '#store'
import { WebhookDeliverer, type WebhookDelivererOptions } from './webhook-deliverer.ts'
import { readWebhookInput, type WebhookInput } from './webhook-input.ts'

const maxWebhooks = 100
/** How often a write is tried that meets concurrent changes. */
const maxAttempts = 5

/** The result of a write that met a concurrent change; it is tried again. */
const conflict = Symbol('conflict')

export class WebhookWriter {
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

  /** Null if there is no such webhook. */
  async write(write: SystemWrite): Promise<SystemWritten | null> {
    const written = await (write.action === 'create'
      ? this.#create(write)
      : retried(() => (write.action === 'delete' ? this.#delete(write) : this.#update(write))))
    if (written !== null) await this.#deliverer.refresh()
    return written
  }

  /** Sends a finished delivery again. Null if there is no such delivery. */
  async writeDelivery(write: SystemWrite): Promise<SystemWritten | null> {
    const { set } = write
    if (set.state !== 'pending')
      throw validationError([{ path: 'state', code: 'TYPE', message: 'must be pending, to send it again.' }])
    const written = await retried(() => this.#sendAgain(write))
    if (written !== null) this.#deliverer.wake()
    return written
  }

  async #create(write: SystemWrite): Promise<SystemWritten> {
    const { records, owners, events, clock } = this.#options
    const { set, viewer } = write
    const input = readWebhookInput(set, null, this.#inputContext(viewer))
    const now = clock()
    const webhook: Webhook = {
      id: uuidv7(now),
      ...input,
      paused: null,
      owner: await owners.ownerOf(viewer),
      version: 1,
      created: now,
      changed: now,
      cursor: await events.point('now'),
    }
    const answer = { id: webhook.id, shownOnce: { secret: webhook.secret } }
    const added = await records.add(webhook, maxWebhooks, this.#changeFor(write, answer))
    if (added === null) throw tooMany()
    return { ...answer, ...added }
  }

  async #update(write: SystemWrite): Promise<SystemWritten | null | typeof conflict> {
    const { records, clock, owners, settings } = this.#options
    const { id, set, viewer } = write
    const before = await this.#findMatching(id, write.precondition)
    if (before === null) return null
    const reader = changesDelivery(set, before) ? viewer : ((await owners.currentViewer(before.owner)) ?? viewer)
    const input = readWebhookInput(set, inputOf(before), this.#inputContext(reader))
    if (isDeepStrictEqual(input, inputOf(before))) {
      const kept = await records.keep(this.#changeFor(write, { id }))
      return kept === null ? conflict : { id, ...kept }
    }
    const isActivated = input.active && !before.active
    const hasNewReceiver = input.url !== before.url || input.secret !== before.secret
    const after: Webhook = {
      ...before,
      ...input,
      paused: isActivated ? null : before.paused,
      owner: changesDelivery(input, before) ? await owners.ownerOf(viewer) : before.owner,
      version: await records.nextVersion(before.version),
      changed: clock(),
    }
    const cursor = isActivated ? await this.#resumePoint(before.cursor) : null
    const windowMs = settings.retryWindowSeconds * 1000
    const restart = isActivated || hasNewReceiver ? { windowMs, cursor } : null
    const answer = { id, ...(after.secret !== before.secret && { shownOnce: { secret: after.secret } }) }
    const saved = await records.save(after, before.version, restart, this.#changeFor(write, answer))
    return saved === null ? conflict : { ...answer, ...saved }
  }

  async #delete({ id, precondition, idempotencyKey }: SystemWrite): Promise<SystemWritten | null | typeof conflict> {
    const before = await this.#findMatching(id, precondition)
    if (before === null) return null
    const version = precondition === null ? null : before.version
    const removed = await this.#options.records.remove(id, version, this.#changeFor({ idempotencyKey }, { id }))
    return removed === null ? conflict : { id, ...removed }
  }

  async #sendAgain(write: SystemWrite): Promise<SystemWritten | null | typeof conflict> {
    const { records, settings } = this.#options
    const { id, precondition } = write
    const delivery = await this.#findDelivery(write)
    if (precondition !== null) requireVersion('WebhookDelivery', delivery, precondition)
    const webhook = delivery && (await records.find(delivery.webhook))
    if (delivery === null || webhook === null) return null
    if (!webhook.active) {
      throw new ApiError('CONFLICT', 'The webhook is not active.', { hint: 'Set active to true first.' })
    }
    if (delivery.state === 'pending') throw new ApiError('CONFLICT', 'The delivery is still pending.')
    const windowMs = settings.retryWindowSeconds * 1000
    const sent = await records.sendAgain(delivery, windowMs, this.#changeFor(write, { id }))
    return sent === null ? conflict : { id, ...sent }
  }

  /** Throws an ApiError if the write names the webhook of the delivery, and it is another. */
  async #findDelivery({ id, set: { webhook } }: SystemWrite): Promise<WebhookDelivery | null> {
    const { records } = this.#options
    const found = await records.findDelivery(id)
    if (webhook === undefined || found?.webhook === webhook) return found
    if ((await records.find(String(webhook))) === null)
      throw new ApiError('NOT_FOUND', `There is no Webhook with the id "${webhook}".`)
    const message = `There is no delivery "${id}" of this webhook.`
    throw validationError([{ path: 'delivery', code: 'REFERENCE', message }], 'CONFLICT')
  }

  #changeFor(
    { idempotencyKey: key, readBack }: Pick<SystemWrite, 'idempotencyKey'> & Partial<SystemWrite>,
    answer: SystemAnswer,
  ): RequestedChange {
    const under = key === null ? null : { key, answer }
    return readBack === undefined ? { under } : { under, readBack: readBack(answer.id) }
  }

  /** Throws an ApiError if the webhook does not fulfil the precondition. */
  async #findMatching(id: string, precondition: SystemPrecondition | null): Promise<Webhook | null> {
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
}

async function retried<T>(write: () => Promise<T | typeof conflict>): Promise<T> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const written = await write()
    if (written !== conflict) return written
  }
  throw new ApiError('CONFLICT', 'The webhook is being changed by other requests.', { hint: 'Try again.' })
}

function tooMany(): ApiError {
  return new ApiError('CONFLICT', `There are ${maxWebhooks} webhooks already.`, {
    hint: 'Delete one that is not needed.',
  })
}

const deliveryFields = ['url', 'events', 'where', 'secret'] as const

/** Whether the input changes what the webhook sends, or to whom. Whoever does that owns the webhook from then on: otherwise it
 *  would send the rows of its former owner to somebody else's address. */
function changesDelivery(input: Readonly<Partial<Record<string, unknown>>>, before: Webhook): boolean {
  return deliveryFields.some((name) => input[name] !== undefined && !isDeepStrictEqual(input[name], before[name]))
}

function inputOf({ url, events, where, secret, active }: Webhook): WebhookInput {
  return { url, events, where, secret, active }
}

const formatTime = (time: number): string => new Date(time).toISOString()
