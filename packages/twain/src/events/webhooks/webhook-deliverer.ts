// All active webhooks at work on this node. It is there only while there are some.

import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, stackOf, uuidv7, type Viewer } from '#base'
import type { Engine } from '#engine'
import type { ChangeLog, WebhookOwner, WebhookStore } from '#store'
import type { Events } from '../events.ts'
import { type ResolveHostName, resolveHostName, type SendOptions } from './send.ts'
import type { WebhookSettings } from './settings.ts'
import { WebhookRunner } from './webhook-runner.ts'

export interface WebhookDelivererOptions {
  records: WebhookStore
  /** Whether other nodes work on the same. */
  isShared: boolean
  engine: Engine
  events: Events
  changes: ChangeLog
  settings: WebhookSettings
  log: Log
  clock: () => number
  asOfNow(maker: WebhookOwner): Promise<Viewer | null>
  resolve?: ResolveHostName | undefined
}

/** Milliseconds. */
const lookEvery = 5_000
const forgetEvery = 600_000
const keptFor = 7 * 24 * 3_600_000
const longestFarewell = 1_000

export class WebhookDeliverer {
  readonly #parts: WebhookDelivererOptions
  readonly #holder = uuidv7()
  readonly #runners = new Map<string, WebhookRunner>()
  readonly #agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
  readonly #going = new AbortController()
  readonly #timers: NodeJS.Timeout[] = []
  #unwatch: (() => void) | null = null
  #refreshing: Promise<void> | null = null
  #isStopped = false

  constructor(parts: WebhookDelivererOptions) {
    this.#parts = parts
    if (parts.isShared) this.#timers.push(setInterval(() => void this.refresh(), lookEvery).unref())
    this.#timers.push(setInterval(() => void this.#forget(), forgetEvery).unref())
  }

  get active(): number {
    return this.#runners.size
  }

  /** Takes up what somebody has made or changed, here or on another node. */
  async refresh(): Promise<void> {
    while (this.#refreshing !== null) await this.#refreshing
    this.#refreshing = this.#refresh()
      .catch((error) =>
        this.#parts.log.warn({ 'exception.stacktrace': stackOf(error) }, 'webhooks could not be loaded; retrying'),
      )
      .finally(() => {
        this.#refreshing = null
      })
    await this.#refreshing
  }

  wake(id: string): void {
    this.#runners.get(id)?.wake()
  }

  /** Begins nothing more. What is under way has a moment, and is then left to whoever comes next. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const timer of this.#timers) clearInterval(timer)
    this.#unwatch?.()
    const stopped = Promise.all([...this.#runners.values()].map((runner) => runner.stop()))
    await Promise.race([stopped, sleep(longestFarewell, undefined, { ref: false })])
    this.#going.abort()
    await stopped
    await this.#letGo()
    this.#agents.http.destroy()
    this.#agents.https.destroy()
  }

  /** Another node goes on at once, and not when our time is over. */
  async #letGo(): Promise<void> {
    const { records, log } = this.#parts
    try {
      await records.release(this.#holder)
    } catch (error) {
      log.warn(
        { 'exception.stacktrace': stackOf(error) },
        'webhook leases could not be released; they expire on their own',
      )
    }
  }

  async #refresh(): Promise<void> {
    const webhooks = await this.#parts.records.list()
    if (this.#isStopped) return
    const active = new Map(webhooks.filter((webhook) => webhook.active).map((webhook) => [webhook.id, webhook]))
    for (const [id, runner] of this.#runners) {
      if (active.get(id)?.version === runner.webhook.version) continue
      this.#runners.delete(id)
      void runner.stop()
    }
    for (const [id, webhook] of active) {
      if (!this.#runners.has(id)) this.#runners.set(id, this.#runner(webhook))
      this.#runners.get(id)!.wake()
    }
    this.#listen()
  }

  /** While none is active, a write pays nothing for them. */
  #listen(): void {
    if (this.#runners.size === 0) {
      this.#unwatch?.()
      this.#unwatch = null
    } else {
      this.#unwatch ??= this.#parts.changes.watch(() => {
        for (const runner of this.#runners.values()) runner.wake()
      })
    }
  }

  #runner(webhook: WebhookRunner['webhook']): WebhookRunner {
    const { settings, clock, resolve = resolveHostName } = this.#parts
    const sending: SendOptions = {
      allowPrivate: settings.allowPrivate,
      timeoutMs: settings.timeoutSeconds * 1000,
      agents: this.#agents,
      resolve,
      clock,
      signal: this.#going.signal,
    }
    return new WebhookRunner(webhook, {
      ...this.#parts,
      holder: this.#holder,
      sending,
      onWebhookChanged: () => void this.refresh(),
      onAttemptFinished: () => this.wake(webhook.id),
    })
  }

  async #forget(): Promise<void> {
    const { records, clock, log } = this.#parts
    try {
      await records.prune(clock() - keptFor)
      await records.deleteExpiredResults(clock())
    } catch (error) {
      log.warn({ 'exception.stacktrace': stackOf(error) }, 'old webhook deliveries could not be deleted')
    }
  }
}
