// When the database commits, as a client of its own sees it. So what Patroni takes to replace a primary, on whatever machine, is told
// apart from what Twain takes after that.

import { setTimeout as pause } from 'node:timers/promises'
import { connect, type Database } from '../../packages/twain/src/store/postgres/connect/connect.ts'

/** It writes WAL, so that its commit waits for a synchronous standby; a standby refuses it. */
const commit = `SELECT pg_logical_emit_message(true, 'failover', '')`

/** A commit that takes longer proves nothing of the time before it. */
const maxCommitMs = 1000

export class Availability {
  /** The times in which it committed, one commit soon after the other. Milliseconds of `performance.now`, ascending. */
  readonly #times: { from: number; to: number }[] = []
  readonly #database: Database
  readonly #running: Promise<void>
  #isOver = false

  constructor(address: string) {
    this.#database = connect(address, { size: 1, time: 0 })
    this.#running = this.#watch()
  }

  /** For how long it committed between two moments, without a break. */
  longestWithin(begin: number, end: number): number {
    return Math.max(0, ...this.#times.map(({ from, to }) => Math.min(to, end) - Math.max(from, begin)))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#database.end(0)
    await this.#running
  }

  async #watch(): Promise<void> {
    let current: { to: number } | null = null
    while (!this.#isOver) {
      const began = performance.now()
      const did = await this.#database.query(commit).then(
        () => true,
        () => false,
      )
      const at = performance.now()
      if (!did || at - began > maxCommitMs) current = null
      if (did && current !== null) current.to = at
      else if (did) this.#times.push({ from: at, to: at })
      current = did ? this.#times.at(-1)! : null
      await pause(100)
    }
  }
}
