// Runs all active webhooks of this node: one runner each, shared connections, and pruning of old deliveries.

import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, stackOf, uuidv7 } from '#base'
import type { Engine } from '#engine'
import type { ChangeLog, WebhookStore } from '#store'
import type { ChangeFeed } from '../feed/feed.ts'
import { type ResolveHostName, resolveHostName, type SendOptions } from './send.ts'
import type { WebhookSettings } from './settings.ts'
import { type WebhookOwners, WebhookRunner } from './webhook-runner.ts'

export interface WebhookDelivererOptions {
  records: WebhookStore
  /** Whether several nodes share the database. */
  isShared: boolean
  engine: Engine
  events: ChangeFeed
  changes: ChangeLog
  settings: WebhookSettings
  log: Log
  clock: () => number
  owners: WebhookOwners
  resolve?: ResolveHostName | undefined
}

const pollIntervalMs = 5_000
const pruneIntervalMs = 600_000
const retentionMs = 7 * 24 * 3_600_000
const maxStopMs = 1_000

export class WebhookDeliverer {
  readonly #options: WebhookDelivererOptions
  readonly #holder = uuidv7()
  readonly #runners = new Map<string, WebhookRunner>()
  readonly #agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
  readonly #aborting = new AbortController()
  readonly #timers: NodeJS.Timeout[] = []
  #unwatch: (() => void) | null = null
  #refreshing: Promise<void> | null = null
  #isStopped = false

  constructor(options: WebhookDelivererOptions) {
    this.#options = options
    if (options.isShared) this.#timers.push(setInterval(() => void this.refresh(), pollIntervalMs).unref())
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

  wake(id: string): void {
    this.#runners.get(id)?.wake()
  }

  /** Starts no new attempts. Running attempts get `maxStopMs`; then they are aborted and another node sends them. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const timer of this.#timers) clearInterval(timer)
    this.#unwatch?.()
    const stopped = Promise.all([...this.#runners.values()].map((runner) => runner.stop()))
    await Promise.race([stopped, sleep(maxStopMs, undefined, { ref: false })])
    this.#aborting.abort()
    await stopped
    await this.#releaseLeases()
    this.#agents.http.destroy()
    this.#agents.https.destroy()
  }

  /** Lets another node continue at once instead of after the lease expires. */
  async #releaseLeases(): Promise<void> {
    const { records, log } = this.#options
    try {
      await Promise.race([records.release(this.#holder), sleep(maxStopMs, undefined, { ref: false })])
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
    const sending: SendOptions = {
      allowPrivate: settings.allowPrivate,
      timeoutMs: settings.timeoutSeconds * 1000,
      agents: this.#agents,
      resolve,
      clock,
      signal: this.#aborting.signal,
    }
    return new WebhookRunner(webhook, {
      ...this.#options,
      holder: this.#holder,
      sending,
      onWebhookChanged: () => void this.refresh(),
      onAttemptFinished: () => this.wake(webhook.id),
    })
  }

  async #prune(): Promise<void> {
    const { records, clock, log } = this.#options
    try {
      await records.prune(clock() - retentionMs)
      await records.deleteExpiredResults(clock())
    } catch (error) {
      log.warn({ 'exception.stacktrace': stackOf(error) }, 'old webhook deliveries could not be deleted')
    }
  }
}
