// Webhooks as the rest of the service sees them: they write their types, and send. The code behind them is loaded on the first
// write, or at start if a webhook is active. A service without webhooks pays nothing.

import { ApiError, type Gauge, type Log, stackOf, type Tracing } from '#base'
import type { Viewer } from '#base/http'
import { clearInterval, setInterval } from '#base/time'
import type { Engine, SystemWrite, SystemWritten } from '#engine'
import type { ChangeLog, JobStore, StoreClock, WebhookStoreLoader } from '#store'
import type { ChangeFeed } from '../feed/feed.ts'
import type { DeliveryMessage } from './delivery-message.ts'
import type { ResolveHostName } from './send.ts'
import { defaultWebhookSettings, type WebhookSettings } from './settings.ts'
import type { WebhookOwners } from './webhook-runner.ts'
import type { WebhookWriter } from './webhook-writer.ts'

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
  /** Says how old deliveries are. */
  ages: StoreClock
  resolve?: ResolveHostName | undefined
}

/** The interval at which a node looks for webhooks that were created on another node. */
const pollIntervalMs = 10_000

export class Webhooks {
  readonly #options: WebhooksOptions
  #opening: Promise<WebhookWriter> | null = null
  #opened: WebhookWriter | null = null
  #timer: NodeJS.Timeout | null = null
  #stopping: Promise<void> | null = null
  #isStopped = false

  constructor(options: WebhooksOptions) {
    this.#options = options
    void this.#openIfAny()
    if (!options.storeLoader.isShared) return
    this.#timer = setInterval(() => void this.#openIfAny(), pollIntervalMs).unref()
  }

  /** Writes the type `Webhook` for the engine. */
  async write(write: SystemWrite): Promise<SystemWritten | null> {
    return (await this.#open()).write(write)
  }

  /** Writes the type `WebhookDelivery` for the engine. */
  async writeDelivery(write: SystemWrite): Promise<SystemWritten | null> {
    return (await this.#open()).writeDelivery(write)
  }

  /** The message of a delivery that the asker may read; null if there is none. */
  async message(delivery: string, asker: Viewer): Promise<DeliveryMessage | null> {
    const { deliveryMessage } = await import('./delivery-message.ts')
    return deliveryMessage(delivery, asker, { ...this.#options, records: await this.#options.storeLoader.open() })
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
    const writer = await this.#opening?.catch(() => null)
    await writer?.stop()
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

  #open(): Promise<WebhookWriter> {
    if (this.#isStopped)
      throw new ApiError('UNAVAILABLE', 'The server is stopping.', { headers: { 'retry-after': '1' } })
    this.#opening ??= this.#load().catch((error) => {
      this.#opening = null
      throw error
    })
    return this.#opening
  }

  async #load(): Promise<WebhookWriter> {
    const { WebhookWriter } = await import('./webhook-writer.ts')
    const { settings = defaultWebhookSettings } = this.#options
    const records = await this.#options.storeLoader.open()
    this.#opened = new WebhookWriter({ ...this.#options, settings, records })
    if (this.#timer !== null) clearInterval(this.#timer) // the deliverer polls from now on
    await this.#opened.start()
    return this.#opened
  }
}
