// The operator of the service: creates a webhook, and activates it again after Twain has paused it.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const command = join(import.meta.dirname, '../../packages/twain/bin/twain.js')

export class Operator {
  readonly #node: string
  readonly #headers: Record<string, string>
  #webhook = ''

  constructor(node: string, database: string) {
    const args = [command, 'token', '--role', 'admin', '--database', database]
    const token = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()
    this.#node = node
    this.#headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  }

  async createWebhook(url: string): Promise<void> {
    const { id } = await this.#send('POST', '/webhooks', { url, events: ['note.*'] })
    this.#webhook = id
  }

  /** Whether it was paused. */
  async activateWebhook(): Promise<boolean> {
    const { active } = await this.#send('GET', `/webhooks/${this.#webhook}`)
    if (active) return false
    await this.#send('PATCH', `/webhooks/${this.#webhook}`, { active: true })
    return true
  }

  async #send(method: string, path: string, body?: object): Promise<{ id: string; active: boolean }> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const reply = await fetch(`${this.#node}${path}`, { method, headers: this.#headers, ...sent })
    const text = await reply.text()
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return JSON.parse(text) as { id: string; active: boolean }
  }
}
