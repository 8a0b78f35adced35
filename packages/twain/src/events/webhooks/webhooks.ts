// Webhooks as the REST and GraphQL adapters see them: resources for administrators. The code behind them is loaded on first
// use, or at start if a webhook is active. A service without webhooks pays nothing.

import { ApiError, type Gauge, type Log, stackOf, type Tracing } from '#base'
import { expectAdmin, type Viewer } from '#base/http'
import type { Engine } from '#engine'
import type { ChangeLog, JobStore, WebhookStoreLoader } from '#store'
import type { ChangeFeed } from '../feed/feed.ts'
import type { ResolveHostName } from './send.ts'
import { defaultWebhookSettings, type WebhookSettings } from './settings.ts'
import type { WebhookAdmin } from './webhook-admin.ts'
import type { WebhookOwners } from './webhook-runner.ts'

export interface WebhooksOptions {
  storeLoader: WebhookStoreLoader
  /** The queue of deliveries. */
  jobs: JobStore
  engine: Engine
  events: ChangeFeed
  changes: ChangeLog
  owners: WebhookOwners
  settings?: WebhookSettings | undefined
  log: Log
  /** Default: nothing is traced. */
  tracing?: Tracing | null | undefined
  clock: () => number
  resolve?: ResolveHostName | undefined
}

/** The interval at which a node looks for webhooks that were created on another node. */
const pollIntervalMs = 10_000

export class Webhooks {
  readonly #options: WebhooksOptions
  #opening: Promise<WebhookAdmin> | null = null
  #opened: WebhookAdmin | null = null
  #timer: NodeJS.Timeout | null = null
  #stopping: Promise<void> | null = null
  #isStopped = false

  constructor(options: WebhooksOptions) {
    this.#options = options
    void this.#openIfAny()
    if (!options.storeLoader.isShared) return
    this.#timer = setInterval(() => void this.#openIfAny(), pollIntervalMs).unref()
  }

  /** Throws an ApiError for viewers without the role admin. */
  admin(viewer: Viewer): Promise<WebhookAdmin> {
    expectAdmin(viewer, 'Webhooks')
    return this.#open()
  }

  gauges(): Gauge[] {
    return [
      {
        name: 'webhooks_active',
        kind: 'gauge',
        about: 'Active webhooks that this node serves.',
        value: () => this.#opened?.activeCount ?? 0,
      },
    ]
  }

  /** Starts no new deliveries; resolves when none is running. */
  stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    const admin = await this.#opening?.catch(() => null)
    await admin?.stop()
  }

  async #openIfAny(): Promise<void> {
    try {
      if (this.#opening !== null || this.#isStopped || !(await this.#options.storeLoader.hasActive())) return
      await this.#open()
    } catch (error) {
      if (!this.#isStopped)
        this.#options.log.warn({ 'exception.stacktrace': stackOf(error) }, 'webhooks could not be loaded; retrying')
    }
  }

  #open(): Promise<WebhookAdmin> {
    if (this.#isStopped)
      throw new ApiError('UNAVAILABLE', 'The server is stopping.', { headers: { 'retry-after': '1' } })
    this.#opening ??= this.#load().catch((error) => {
      this.#opening = null
      throw error
    })
    return this.#opening
  }

  async #load(): Promise<WebhookAdmin> {
    const { WebhookAdmin } = await import('./webhook-admin.ts')
    const { settings = defaultWebhookSettings } = this.#options
    const records = await this.#options.storeLoader.open()
    this.#opened = new WebhookAdmin({ ...this.#options, settings, records })
    if (this.#timer !== null) clearInterval(this.#timer) // the deliverer polls from now on
    await this.#opened.start()
    return this.#opened
  }
}
