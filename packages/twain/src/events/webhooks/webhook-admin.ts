// Where administrators make, see and change webhooks, and what was sent. Whatever it changes, the deliverer takes up.

import { isDeepStrictEqual } from 'node:util'
import { ApiError, type IdempotencyKey, uuidv7, type Viewer, validationError } from '#base'
import {
  type IdempotentResult,
  requireUnmodified,
  requireVersion,
  type VersionPreconditions,
  type Webhook,
  type WebhookDelivery,
  type WebhookStore,
} from '#store'
import type { WebhookSettings } from './settings.ts'
import { WebhookDeliverer } from './webhook-deliverer.ts'
import { emptyWebhookInput, readWebhookInput, type WebhookInput } from './webhook-input.ts'
import type { WebhooksOptions } from './webhooks.ts'

/** The times are RFC 3339 in UTC. */
export interface WebhookView {
  id: string
  url: string
  events: readonly string[]
  where: unknown
  active: boolean
  /** Why it was stopped by the server; null while it was not. */
  paused: string | null
  createdAt: string
  updatedAt: string
  /** Rises with each change: what a write may ask for. */
  version: number
  /** Given once: in the answer of the write that set it. */
  secret?: string
}

export interface DeliveryView {
  id: string
  type: string
  /** The cursor of the change. */
  event: string
  state: WebhookDelivery['state']
  createdAt: string
  /** When it was over, or null. */
  finishedAt: string | null
  /** When it is tried next, or null. */
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

/** What is asked of the webhook as it is before it is changed; `unmodifiedSince` in milliseconds since 1970. */
export interface WebhookPrecondition extends VersionPreconditions {
  unmodifiedSince: number | null
}

/** What a request says beside what is to be done. */
export interface WebhookWriteOptions {
  /** Under which key it is done once; null: under none. */
  idempotencyKey?: IdempotencyKey | null
  precondition?: WebhookPrecondition | null
}

/** What was done; `replayed`: before, under the same key. */
export interface IdempotentOutcome<T> {
  value: T
  replayed: boolean
}

/** What is done gives this where another came in the way. */
const again = Symbol('again')

/** What is kept of the answer with what is done. */
type RecordResult<T> = (answer: T) => IdempotentResult | null

interface WebhookAdminOptions extends Omit<WebhooksOptions, 'settings'> {
  settings: WebhookSettings
  records: WebhookStore
}

const mostWebhooks = 100
/** How often a change is made that others come in the way of. */
const mostTries = 5

export class WebhookAdmin {
  readonly #parts: WebhookAdminOptions
  readonly #deliverer: WebhookDeliverer

  constructor(parts: WebhookAdminOptions) {
    const { storeLoader: kept, owners: makers } = parts
    this.#parts = parts
    this.#deliverer = new WebhookDeliverer({
      ...parts,
      isShared: kept.isShared,
      asOfNow: (maker) => makers.currentViewer(maker),
    })
  }

  start(): Promise<void> {
    return this.#deliverer.refresh()
  }

  stop(): Promise<void> {
    return this.#deliverer.stop()
  }

  get active(): number {
    return this.#deliverer.active
  }

  async list(): Promise<WebhookView[]> {
    return (await this.#parts.records.list()).map(toView)
  }

  async find(id: string): Promise<WebhookView | null> {
    const webhook = await this.#parts.records.find(id)
    return webhook === null ? null : toView(webhook)
  }

  /** Throws a Fault that names all that is wrong with what is said of a webhook, as far as that tells. */
  validate(input: unknown, isNew: boolean, viewer: Viewer): void {
    readWebhookInput(input, isNew ? null : emptyWebhookInput, this.#judging(viewer))
  }

  create(
    input: unknown,
    viewer: Viewer,
    { idempotencyKey: once = null }: WebhookWriteOptions = {},
  ): Promise<IdempotentOutcome<WebhookView>> {
    return this.#once<WebhookView>(once, async (keep) => {
      const { records, owners: makers, events, clock } = this.#parts
      const said = readWebhookInput(input, null, this.#judging(viewer))
      const now = clock()
      const webhook: Webhook = {
        id: uuidv7(now),
        ...said,
        paused: null,
        maker: await makers.ownerOf(viewer),
        version: 1,
        created: now,
        changed: now,
        cursor: events.cursor(await events.position('now')),
      }
      const view = { ...toView(webhook), secret: webhook.secret }
      if (!(await records.add(webhook, mostWebhooks, keep(view)))) return this.#unlessDone(once, tooMany())
      await this.#deliverer.refresh()
      return view
    })
  }

  /** Null when there is none. */
  update(
    id: string,
    input: unknown,
    viewer: Viewer,
    { idempotencyKey: once = null, precondition: given = null }: WebhookWriteOptions = {},
  ) {
    return this.#once<WebhookView | null>(once, async (keep) => {
      const { records, clock, owners: makers, settings } = this.#parts
      const before = await this.#findAs(id, given)
      if (before === null) return null
      const said = readWebhookInput(input, before, this.#judging((await makers.currentViewer(before.maker)) ?? viewer))
      if (isDeepStrictEqual(said, saidOf(before))) {
        const under = keep(toView(before))
        if (under !== null) await records.saveResult(under)
        return toView(before)
      }
      const begins = said.active && !before.active
      const isMended = said.url !== before.url || said.secret !== before.secret
      const now = clock()
      const after: Webhook = {
        ...before,
        ...said,
        paused: begins ? null : before.paused,
        version: before.version + 1,
        changed: now,
      }
      const cursor = begins ? await this.#stillKept(before.cursor) : null
      const anew = begins || isMended ? { due: now, until: now + settings.retryWindowSeconds * 1000, cursor } : null
      const view = { ...toView(after), ...(after.secret === before.secret ? {} : { secret: after.secret }) }
      if (!(await records.save(after, before.version, anew, keep(view)))) return again
      await this.#deliverer.refresh()
      return view
    })
  }

  /** False when there is none. */
  delete(
    id: string,
    { idempotencyKey: once = null, precondition: given = null }: WebhookWriteOptions = {},
  ): Promise<IdempotentOutcome<{ found: boolean }>> {
    return this.#once(once, async (keep) => {
      const { records } = this.#parts
      const before = await this.#findAs(id, given)
      if (before === null) return { found: false }
      const version = given === null ? null : before.version
      if (!(await records.remove(id, version, keep({ found: true })))) return again
      await this.#deliverer.refresh()
      return { found: true }
    })
  }

  /** The newest first; null when there is no such webhook. */
  async deliveries(id: string, offset: number, limit: number): Promise<DeliveryView[] | null> {
    const { records } = this.#parts
    if ((await records.find(id)) === null) return null
    return (await records.deliveries(id, offset, limit)).map((delivery) => this.#toDelivery(delivery))
  }

  /** Null when there is no such webhook. */
  redeliver(
    id: string,
    delivery: unknown,
    { idempotencyKey: once = null }: WebhookWriteOptions = {},
  ): Promise<IdempotentOutcome<DeliveryView | null>> {
    return this.#once<DeliveryView | null>(once, async (keep) => {
      const { records, clock, settings } = this.#parts
      const webhook = await records.find(id)
      if (webhook === null) return null
      const found = await this.#findDelivery(id, delivery)
      if (!webhook.active) {
        throw new ApiError('CONFLICT', 'The webhook is not active.', { hint: 'Set active to true first.' })
      }
      const now = clock()
      const view = this.#toDelivery({ ...found, state: 'pending', finished: null, due: now })
      if (!(await records.sendAgain(id, found.id, now, now + settings.retryWindowSeconds * 1000, keep(view)))) {
        return this.#unlessDone(once, new ApiError('CONFLICT', 'The delivery is still on its way.'))
      }
      this.#deliverer.wake(id)
      return view
    })
  }

  async #findDelivery(id: string, delivery: unknown): Promise<WebhookDelivery> {
    if (typeof delivery !== 'string') {
      const code = delivery === undefined ? 'REQUIRED' : 'TYPE'
      throw validationError([{ path: 'delivery', code, message: 'must be the id of a delivery.' }])
    }
    const found = await this.#parts.records.findDelivery(id, delivery)
    if (found !== null) return found
    const message = `There is no delivery "${delivery}" of this webhook.`
    throw validationError([{ path: 'delivery', code: 'REFERENCE', message }], 'CONFLICT')
  }

  /** Makes it, or finds it made under the key. What is refused leaves nothing, and what is made is kept with its answer. */
  async #once<T extends object | null>(
    once: IdempotencyKey | null,
    make: (keep: RecordResult<T & object>) => Promise<T | typeof again>,
  ): Promise<IdempotentOutcome<T>> {
    const { records, clock } = this.#parts
    const keep: RecordResult<T & object> = (answer) => (once === null ? null : { key: once, answer, now: clock() })
    for (let tries = 1; tries <= mostTries; tries++) {
      const known = once === null ? null : await records.recall<T & object>(once, clock())
      if (known !== null) return { value: known, replayed: true }
      const made = await make(keep)
      if (made !== again) return { value: made as T, replayed: false }
    }
    throw new ApiError('CONFLICT', 'Others change this webhook just now.', { hint: 'Send it again.' })
  }

  /** Under a key that another has by now, all is well. */
  async #unlessDone(once: IdempotencyKey | null, fault: ApiError): Promise<typeof again> {
    const { records, clock } = this.#parts
    if (once === null || (await records.recall(once, clock())) === null) throw fault
    return again
  }

  /** As it is to be; a Fault otherwise. */
  async #findAs(id: string, given: WebhookPrecondition | null): Promise<Webhook | null> {
    const found = await this.#parts.records.find(id)
    if (given === null) return found
    requireVersion('Webhook', found, given)
    const { unmodifiedSince } = given
    if (found !== null && unmodifiedSince !== null) {
      requireUnmodified('Webhook', spell(found.changed), spell(unmodifiedSince))
    }
    return found
  }

  #judging(viewer: Viewer) {
    const { engine, settings } = this.#parts
    return { viewer, engine, allowPrivate: settings.allowPrivate }
  }

  /** Where it goes on: what it missed while it was not active is told, if it is still there. */
  async #stillKept(cursor: string): Promise<string> {
    const { events } = this.#parts
    try {
      await events.position(cursor)
      return cursor
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      return events.cursor(await events.position('now'))
    }
  }

  #toDelivery({ id, type, position, state, created, finished, due, attempts }: WebhookDelivery): DeliveryView {
    return {
      id,
      type,
      event: this.#parts.events.cursor(position),
      state,
      createdAt: spell(created),
      finishedAt: finished === null ? null : spell(finished),
      nextAt: state === 'pending' ? spell(due) : null,
      attempts: attempts.map((attempt) => ({ ...attempt, at: spell(attempt.at) })),
    }
  }
}

function tooMany(): ApiError {
  return new ApiError('CONFLICT', `There are ${mostWebhooks} webhooks already.`, {
    hint: 'Delete one that is not needed.',
  })
}

function saidOf({ url, events, where, secret, active }: Webhook): WebhookInput {
  return { url, events, where, secret, active }
}

function toView({ id, url, events, where, active, paused, created, changed, version }: Webhook): WebhookView {
  return { id, url, events, where, active, paused, createdAt: spell(created), updatedAt: spell(changed), version }
}

const spell = (time: number): string => new Date(time).toISOString()
