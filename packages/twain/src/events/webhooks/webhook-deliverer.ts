// Runs all active webhooks of this node: one runner each, one worker for the deliveries of all, shared connections, and pruning of
// old deliveries.

import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type Log, stackOf, type Tracing } from '#base'
import { clearInterval, setInterval, sleep } from '#base/time'
import type { Engine } from '#engine'
import { QueueWorker } from '#jobs'
import type { ChangeLog, ClaimedJob, JobLease, JobStore, StoreClock, WebhookStore } from '#store'
import type { ChangeFeed } from '../feed/feed.ts'
import { type ResolveHostName, resolveHostName, type SendOptions } from './send.ts'
import type { WebhookSettings } from './settings.ts'
import { releasedJob, type WebhookOwners, WebhookRunner } from './webhook-runner.ts'

export interface WebhookDelivererOptions {
  records: WebhookStore
  /** The queue of deliveries. */
  jobs: JobStore
  engine: Engine
  events: ChangeFeed
  changes: ChangeLog
  settings: WebhookSettings
  log: Log
  tracing?: Tracing | null | undefined
  clock: () => number
  /** Says how old deliveries are. */
  ages: StoreClock
  owners: WebhookOwners
  resolve?: ResolveHostName | undefined
}

const pollIntervalMs = 5_000
const pruneIntervalMs = 600_000
const retentionMs = 7 * 24 * 3_600_000
const maxStopMs = 1_000

/** A lease lasts twice the timeout of an attempt, within these bounds. */
const maxLeaseMs = 30_000
const minLeaseMs = 5_000

export class WebhookDeliverer {
  readonly #options: WebhookDelivererOptions
  readonly #runners = new Map<string, WebhookRunner>()
  readonly #agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
  readonly #worker: QueueWorker
  readonly #leaseMs: number
  readonly #timers: NodeJS.Timeout[] = []
  #unwatch: (() => void) | null = null
  #refreshing: Promise<void> | null = null
  #isStopped = false

  constructor(options: WebhookDelivererOptions) {
    this.#options = options
    const { jobs, log, settings } = options
    this.#leaseMs = Math.min(maxLeaseMs, Math.max(minLeaseMs, 2000 * settings.timeoutSeconds))
    this.#worker = new QueueWorker({
      kind: 'delivery',
      store: jobs,
      leaseMs: this.#leaseMs,
      log,
      concurrency: Number.POSITIVE_INFINITY,
      capacity: () => new Map([...this.#runners].map(([id, { capacity }]) => [id, capacity])),
      claim: (id, most, lease) => this.#claim(id, most, lease),
      run: (id, claimed) => this.#runners.get(id)?.send(claimed) ?? claimed.map(releasedJob), // paused or deleted since the claim
      onFinished: (id) => this.#runners.get(id)?.wake(), // it may read on in the log
    })
    if (jobs.isShared) this.#timers.push(setInterval(() => void this.refresh(), pollIntervalMs).unref())
    this.#timers.push(setInterval(() => void this.#prune(), pruneIntervalMs).unref())
  }

  get activeCount(): number {
    return this.#runners.size
  }

  /** Starts and stops runners after webhooks changed, here or on another node. */
  async refresh(): Promise<void> {
    while (this.#refreshing !== null) await this.#refreshing
    this.#refreshing = this.#refresh()
      .catch((error) =>
        this.#options.log.warn({ 'exception.stacktrace': stackOf(error) }, 'webhooks could not be loaded; retrying'),
      )
      .finally(() => {
        this.#refreshing = null
      })
    await this.#refreshing
  }

  /** A delivery may be due. */
  wake(): void {
    this.#worker.wake()
  }

  async #claim(id: string, most: number, lease: JobLease): Promise<ClaimedJob[]> {
    const runner = this.#runners.get(id)
    if (runner === undefined) return []
    const claimed = await this.#options.records.claim(id, runner.webhook.version, most, lease)
    if (claimed.length === 0) await runner.isChanged()
    return claimed
  }

  /** Starts no new attempts. Running attempts get `maxStopMs`; then they are aborted and another node sends them. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const timer of this.#timers) clearInterval(timer)
    this.#unwatch?.()
    await Promise.all([...this.#runners.values()].map((runner) => runner.stop()))
    await this.#worker.stop(maxStopMs, maxStopMs)
    await this.#releaseLeases()
    this.#agents.http.destroy()
    this.#agents.https.destroy()
  }

  /** Lets another node continue at once instead of after the lease expires. */
  async #releaseLeases(): Promise<void> {
    const { records, log } = this.#options
    try {
      await Promise.race([records.release(this.#worker.holder), sleep(maxStopMs, undefined, { ref: false })])
    } catch (error) {
      log.warn(
        { 'exception.stacktrace': stackOf(error) },
        'webhook leases could not be released; they expire on their own',
      )
    }
  }

  async #refresh(): Promise<void> {
    const webhooks = await this.#options.records.list()
    if (this.#isStopped) return
    const active = new Map(webhooks.filter((webhook) => webhook.active).map((webhook) => [webhook.id, webhook]))
    for (const [id, runner] of this.#runners) {
      if (active.get(id)?.version === runner.webhook.version) continue
      this.#runners.delete(id)
      void runner.stop()
    }
    for (const [id, webhook] of active) {
      if (!this.#runners.has(id)) this.#runners.set(id, this.#createRunner(webhook))
      this.#runners.get(id)!.wake()
    }
    this.wake()
    this.#watchChanges()
  }

  /** Watches the log only while a webhook is active: otherwise a write costs nothing for webhooks. */
  #watchChanges(): void {
    if (this.#runners.size === 0) {
      this.#unwatch?.()
      this.#unwatch = null
    } else {
      this.#unwatch ??= this.#options.changes.watch(() => {
        for (const runner of this.#runners.values()) runner.wake()
      })
    }
  }

  #createRunner(webhook: WebhookRunner['webhook']): WebhookRunner {
    const { settings, clock, resolve = resolveHostName } = this.#options
    const sending: Omit<SendOptions, 'signal'> = {
      allowPrivate: settings.allowPrivate,
      timeoutMs: settings.timeoutSeconds * 1000,
      agents: this.#agents,
      resolve,
      clock,
    }
    return new WebhookRunner(webhook, {
      ...this.#options,
      lease: { holder: this.#worker.holder, leaseMs: this.#leaseMs },
      sending,
      onWebhookChanged: () => void this.refresh(),
      onDue: (milliseconds) => (milliseconds === 0 ? this.wake() : this.#worker.wakeIn(milliseconds)),
    })
  }

  async #prune(): Promise<void> {
    const { records, log } = this.#options
    try {
      await records.prune(retentionMs)
      await records.deleteExpiredResults()
    } catch (error) {
      log.warn({ 'exception.stacktrace': stackOf(error) }, 'old webhook deliveries could not be deleted')
    }
  }
}
