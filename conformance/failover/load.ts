// Writers that go on through a failover, with and without an idempotency key, on both nodes in turn. They record what was acknowledged
// and what was refused, and when.

import { setTimeout as pause } from 'node:timers/promises'
import { patienceSeconds } from './cluster.ts'

/** What a writer knows of the row with this text. `unknown`: an answer said so, or none came. */
export type WriteOutcome = 'acknowledged' | 'refused' | 'unknown'

export class Load {
  readonly outcomes = new Map<string, WriteOutcome>()
  /** Milliseconds of `performance.now`, ascending. */
  readonly acknowledgedAt: number[] = []
  /** How often a request was answered with each status other than 201. */
  readonly refusals = new Map<string, number>()
  readonly #nodes: readonly string[]
  readonly #prefix: string
  #isOver = false
  #count = 0
  readonly #running: Promise<void>[]

  constructor(nodes: readonly string[], prefix: string, writers: number) {
    this.#nodes = nodes
    this.#prefix = prefix
    this.#running = Array.from({ length: writers }, (_, index) => this.#write(index % 2 === 0))
  }

  /** Resolves when this many further writes were acknowledged. */
  async acknowledges(count: number): Promise<void> {
    const wanted = this.acknowledgedAt.length + count
    const end = performance.now() + patienceSeconds * 1000
    while (this.acknowledgedAt.length < wanted) {
      if (performance.now() > end) throw new Error(`no ${count} writes were acknowledged within ${patienceSeconds} s`)
      await pause(20)
    }
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#running)
  }

  /** The longest time between two acknowledged writes after a moment, in seconds. `measure`: how much of the time counts. */
  longestPause(since: number, measure = (begin: number, end: number): number => end - begin): number {
    const times = [since, ...this.acknowledgedAt.filter((time) => time > since)]
    return Math.max(...times.slice(1).map((time, index) => measure(times[index]!, time))) / 1000
  }

  async #write(hasKey: boolean): Promise<void> {
    while (!this.#isOver) {
      const text = `${this.#prefix} ${++this.#count}`
      const headers: Record<string, string> = hasKey ? { 'idempotency-key': `"${text}"` } : {}
      let outcome = await this.#send(text, headers)
      // With a key a client repeats the request until it is answered.
      while (hasKey && outcome !== 'acknowledged' && !this.#isOver) {
        await pause(200)
        outcome = await this.#send(text, headers)
      }
      this.outcomes.set(text, outcome)
      await pause(5)
    }
  }

  async #send(text: string, headers: Record<string, string>): Promise<WriteOutcome> {
    const node = this.#nodes[Math.floor(Math.random() * this.#nodes.length)]!
    try {
      const reply = await fetch(`${node}/notes`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ text }),
        signal: AbortSignal.timeout(60_000),
      })
      const body = await reply.text()
      if (reply.status === 201) {
        this.acknowledgedAt.push(performance.now())
        return 'acknowledged'
      }
      const isUnknown = /unknown|not known/.test(body)
      this.#countRefusal(isUnknown ? `${reply.status} unknown` : String(reply.status))
      return isUnknown ? 'unknown' : 'refused'
    } catch (error) {
      this.#countRefusal(String((error as Error).name))
      return 'unknown'
    }
  }

  #countRefusal(kind: string): void {
    this.refusals.set(kind, (this.refusals.get(kind) ?? 0) + 1)
  }
}
