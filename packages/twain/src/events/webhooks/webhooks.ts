// Webhooks as the doors see them: resources for administrators, the same on both faces. What works behind them is loaded when
// the first is made or asked for, or when one is found active at the start: a service that has none pays nothing.

import { ApiError, type Gauge, type Log, stackOf, system, type Viewer } from '#base'
import type { Engine } from '#engine'
import type { ChangeLog, WebhookOwner, WebhookStoreLoader } from '#store'
import type { Events } from '../events.ts'
import type { ResolveHostName } from './send.ts'
import { defaultWebhookSettings, type WebhookSettings } from './settings.ts'
import type { WebhookAdmin } from './webhook-admin.ts'

export interface WebhooksOptions {
  storeLoader: WebhookStoreLoader
  engine: Engine
  events: Events
  changes: ChangeLog
  owners: WebhookOwners
  settings?: WebhookSettings | undefined
  log: Log
  clock: () => number
  resolve?: ResolveHostName | undefined
}

/** Whose rights a webhook has. */
export interface WebhookOwners {
  ownerOf(viewer: Viewer): Promise<WebhookOwner>
  /** Null: nobody any more. */
  currentViewer(maker: WebhookOwner): Promise<Viewer | null>
}

/** Milliseconds between looks for webhooks that another node was told of. */
const lookEvery = 10_000

export class Webhooks {
  readonly #parts: WebhooksOptions
  #admin: Promise<WebhookAdmin> | null = null
  #opened: WebhookAdmin | null = null
  #timer: NodeJS.Timeout | null = null
  #stopping: Promise<void> | null = null
  #isStopped = false

  constructor(parts: WebhooksOptions) {
    this.#parts = parts
    void this.#look()
    if (!parts.storeLoader.isShared) return
    this.#timer = setInterval(() => void this.#look(), lookEvery).unref()
  }

  /** For who may: throws a Fault for all others. */
  admin(viewer: Viewer): Promise<WebhookAdmin> {
    expectAdmin(viewer)
    return this.#open()
  }

  gauges(): Gauge[] {
    return [
      {
        name: 'webhooks_active',
        kind: 'gauge',
        about: 'Active webhooks that this node serves.',
        value: () => this.#opened?.active ?? 0,
      },
    ]
  }

  /** Begins nothing more. */
  stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    const desk = await this.#admin?.catch(() => null)
    await desk?.stop()
  }

  async #look(): Promise<void> {
    try {
      if (this.#admin !== null || this.#isStopped || !(await this.#parts.storeLoader.hasActive())) return
      await this.#open()
    } catch (error) {
      if (!this.#isStopped)
        this.#parts.log.warn({ 'exception.stacktrace': stackOf(error) }, 'webhooks could not be loaded; retrying')
    }
  }

  #open(): Promise<WebhookAdmin> {
    if (this.#isStopped)
      throw new ApiError('UNAVAILABLE', 'The server is stopping.', { headers: { 'retry-after': '1' } })
    this.#admin ??= this.#load().catch((error) => {
      this.#admin = null
      throw error
    })
    return this.#admin
  }

  async #load(): Promise<WebhookAdmin> {
    const { WebhookAdmin } = await import('./webhook-admin.ts')
    const { settings = defaultWebhookSettings } = this.#parts
    this.#opened = new WebhookAdmin({ ...this.#parts, settings, records: await this.#parts.storeLoader.open() })
    if (this.#timer !== null) clearInterval(this.#timer) // it looks by itself from now on
    await this.#opened.start()
    return this.#opened
  }
}

export function expectAdmin(viewer: Viewer): void {
  if (viewer === system || viewer.roles.includes('admin')) return
  if (viewer.authenticated) {
    throw new ApiError('FORBIDDEN', 'Webhooks are for the role admin.')
  }
  throw new ApiError('UNAUTHENTICATED', 'Webhooks are for the role admin: nobody may see them without signing in.', {
    hint: 'twain token --role admin prints a token for the operator.',
    headers: { 'www-authenticate': 'Bearer' },
  })
}
