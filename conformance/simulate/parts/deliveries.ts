// A webhook whose receiver fails for days: every change reaches it.

import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Act, day, hour, type LifePart, minute, type Period, type World } from '../world.ts'
import type { Notes } from './notes.ts'

export class Deliveries implements LifePart {
  readonly acts: readonly Act[] = []
  readonly rare: readonly Act[]
  readonly #receiver = createServer((request, response) => this.#receive(request, response))
  readonly #received = new Set<string>()
  /** When the receiver failed. */
  readonly #failures: Period[] = []
  #isFailing = false
  readonly #world: World
  readonly #notes: Notes

  constructor(world: World, notes: Notes) {
    this.#world = world
    this.#notes = notes
    this.rare = [() => this.#turnReceiver()]
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#receiver.listen(0, '127.0.0.1', resolve))
    const authorization = `Bearer ${await this.#world.server.operatorToken()}`
    const url = `http://127.0.0.1:${(this.#receiver.address() as AddressInfo).port}/hook`
    await this.#world.request('POST', '/webhooks', { url, events: ['note.created'] }, 201, { authorization })
  }

  close(): void {
    this.#receiver.closeAllConnections()
    this.#receiver.close()
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    let text = ''
    request.setEncoding('utf8').on('data', (part) => (text += part))
    request.on('end', () => {
      if (!this.#isFailing) this.#received.add((JSON.parse(text) as { data: { id: string } }).data.id)
      response.writeHead(this.#isFailing ? 500 : 204).end()
    })
  }

  /** It fails for two days at most, which is within the time of retries. */
  async #turnReceiver(): Promise<void> {
    const { random } = this.#world
    this.#isFailing = true
    const from = this.#world.elapsed
    const until = from + random.between(minute, 2 * day)
    while (this.#world.elapsed < until) {
      if (random.chance(0.3)) await this.#notes.write()
      if (this.#world.hasJumps && random.chance(0.2)) await this.#jump()
      await this.#world.advance(random.between(10 * minute, 6 * hour))
    }
    this.#isFailing = false
    this.#failures.push({ from, to: this.#world.elapsed })
  }

  async #jump(): Promise<void> {
    const length = this.#world.random.pick([1, -1]) * this.#world.random.between(hour, 10 * day)
    this.#world.tellTime(`the receiver fails, and the clock jumps by ${(length / hour).toFixed(1)} h`)
    await this.#world.jumpBy(length)
    await this.#world.advance(hour)
    await this.#world.jumpBy(-length)
  }

  async checkKept(): Promise<void> {
    const missing = this.#notes.created.filter(({ id, at }) => !this.#received.has(id) && this.#isOwed(at))
    assert.deepEqual(missing, [], 'changes that the webhook never received')
  }

  /** Whether a change of this time reaches the webhook: Twain leaves out what is no longer in the change log when the receiver works. */
  #isOwed(at: number): boolean {
    const longestRetry = 6 * hour
    let works = at
    const outages = [...this.#world.pauses, ...this.#failures].sort((one, other) => one.from - other.from)
    for (const { from, to } of outages) if (to > works && from < works + 2 * longestRetry) works = to
    return works + 2 * longestRetry - at < this.#world.retention
  }
}
