// Where administrators make, see and change webhooks, and what was sent. Whatever it changes, the deliverer takes up.

import { isDeepStrictEqual } from 'node:util'
import { Fault, uuidv7, type Viewer, validationFault } from '#base'
import type { Delivery, HookRecords, Webhook } from '#store'
import { Deliverer } from './deliverer.ts'
import { nothingSaid, readInput, type Said } from './input.ts'
import type { WebhookSettings } from './settings.ts'
import type { WebhookParts } from './webhooks.ts'

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
  /** Given once: in the answer of the write that set it. */
  secret?: string
}

export interface DeliveryView {
  id: string
  type: string
  /** The cursor of the change. */
  event: string
  state: Delivery['state']
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

interface Parts extends Omit<WebhookParts, 'settings'> {
  settings: WebhookSettings
  records: HookRecords
}

const mostWebhooks = 100
/** How often a change is made that others come in the way of. */
const mostTries = 5

export class WebhookDesk {
  readonly #parts: Parts
  readonly #deliverer: Deliverer

  constructor(parts: Parts) {
    const { kept, makers } = parts
    this.#parts = parts
    this.#deliverer = new Deliverer({ ...parts, isShared: kept.isShared, asOfNow: (maker) => makers.asOfNow(maker) })
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
  judge(input: unknown, isNew: boolean, viewer: Viewer): void {
    readInput(input, isNew ? null : nothingSaid, this.#judging(viewer))
  }

  async create(input: unknown, viewer: Viewer): Promise<WebhookView> {
    const { records, makers, events, clock } = this.#parts
    const said = readInput(input, null, this.#judging(viewer))
    const now = clock()
    const webhook: Webhook = {
      id: uuidv7(now),
      ...said,
      paused: null,
      maker: await makers.of(viewer),
      version: 1,
      created: now,
      changed: now,
      cursor: events.cursor(await events.position('now')),
    }
    if (!(await records.add(webhook, mostWebhooks))) {
      throw new Fault('CONFLICT', `There are ${mostWebhooks} webhooks already.`, {
        hint: 'Delete one that is not needed.',
      })
    }
    await this.#deliverer.refresh()
    return { ...toView(webhook), secret: webhook.secret }
  }

  /** Null when there is none. */
  async update(id: string, input: unknown, viewer: Viewer): Promise<WebhookView | null> {
    const { records, clock, makers, settings } = this.#parts
    for (let tries = 1; tries <= mostTries; tries++) {
      const before = await records.find(id)
      if (before === null) return null
      const said = readInput(input, before, this.#judging((await makers.asOfNow(before.maker)) ?? viewer))
      if (isDeepStrictEqual(said, saidOf(before))) return toView(before)
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
      const anew = begins || isMended ? { due: now, until: now + settings.retryFor * 1000, cursor } : null
      if (!(await records.save(after, before.version, anew))) continue
      await this.#deliverer.refresh()
      return { ...toView(after), ...(after.secret === before.secret ? {} : { secret: after.secret }) }
    }
    throw new Fault('CONFLICT', 'Others change this webhook just now.', { hint: 'Send it again.' })
  }

  async delete(id: string): Promise<boolean> {
    const found = await this.#parts.records.remove(id)
    await this.#deliverer.refresh()
    return found
  }

  /** The newest first; null when there is no such webhook. */
  async deliveries(id: string, offset: number, limit: number): Promise<DeliveryView[] | null> {
    const { records } = this.#parts
    if ((await records.find(id)) === null) return null
    return (await records.deliveries(id, offset, limit)).map((delivery) => this.#toDelivery(delivery))
  }

  /** Null when there is no such webhook. */
  async redeliver(id: string, delivery: unknown): Promise<DeliveryView | null> {
    const { records, clock, settings } = this.#parts
    const webhook = await records.find(id)
    if (webhook === null) return null
    if (typeof delivery !== 'string') {
      const code = delivery === undefined ? 'REQUIRED' : 'TYPE'
      throw validationFault([{ path: 'delivery', code, message: 'must be the id of a delivery.' }])
    }
    const found = await records.findDelivery(id, delivery)
    if (found === null) {
      const message = `There is no delivery "${delivery}" of this webhook.`
      throw validationFault([{ path: 'delivery', code: 'REFERENCE', message }], 'CONFLICT')
    }
    if (!webhook.active) {
      throw new Fault('CONFLICT', 'The webhook is not active.', { hint: 'Set active to true first.' })
    }
    const now = clock()
    if (!(await records.sendAgain(id, delivery, now, now + settings.retryFor * 1000))) {
      throw new Fault('CONFLICT', 'The delivery is still on its way.')
    }
    this.#deliverer.wake(id)
    return this.#toDelivery({ ...found, state: 'pending', finished: null, due: now })
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
      if (!(error instanceof Fault) || error.status >= 500) throw error
      return events.cursor(await events.position('now'))
    }
  }

  #toDelivery({ id, type, position, state, created, finished, due, attempts }: Delivery): DeliveryView {
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

function saidOf({ url, events, where, secret, active }: Webhook): Said {
  return { url, events, where, secret, active }
}

function toView({ id, url, events, where, active, paused, created, changed }: Webhook): WebhookView {
  return { id, url, events, where, active, paused, createdAt: spell(created), updatedAt: spell(changed) }
}

const spell = (time: number): string => new Date(time).toISOString()
