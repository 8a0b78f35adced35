// Bounds the write-ahead log. SQLite begins the log anew only at a moment when nobody reads from it. Beside a client that always
// reads there is no such moment, and the log would grow without end.
//
// 1. Past `limits.walBytes` no new long read begins. The reads that run get a second to end; then they are stopped, and run again
//    after the next step.
// 2. The writer moves the log into the database file and empties it. Short reads go on meanwhile.
// 3. Another process may read the database for long (a backup). Then the log stays, reads go on, and Twain tries again later.

import { statSync } from 'node:fs'
import type { Gauge, Log } from '#base'
import { monotonicTime } from '#base/time'
import type { LongReader } from '../read/long-reader.ts'

interface WalLimitOptions {
  /** The database. */
  file: string
  /** `limits.walBytes`; 0: no limit. */
  maxBytes: number
  longReader: Pick<LongReader, 'pause' | 'resume'>
  /** Empties the log: false if another process reads from it. */
  truncate: () => Promise<boolean>
  log: Log
}

const lookIntervalMs = 100
/** How long the reads that run may take, before they are stopped. */
const readPatienceMs = 1000
const retryMs = 10_000

export class WalLimit {
  readonly #options: WalLimitOptions
  #nextLook = 0
  #isTruncating = false

  constructor(options: WalLimitOptions) {
    this.#options = options
  }

  /** Called after each commit. */
  committed(): void {
    const { maxBytes } = this.#options
    const now = monotonicTime()
    if (maxBytes === 0 || this.#isTruncating || now < this.#nextLook) return
    this.#nextLook = now + lookIntervalMs
    if (this.#bytes() > maxBytes) this.#truncate()
  }

  gauge(): Gauge {
    const about = 'Size of the write-ahead log.'
    return { name: 'sqlite_wal_bytes', kind: 'gauge', about, value: () => this.#bytes() }
  }

  async #truncate(): Promise<void> {
    const { longReader, truncate, log } = this.#options
    this.#isTruncating = true
    try {
      await longReader.pause(readPatienceMs)
      if (await truncate()) return
      this.#nextLook = monotonicTime() + retryMs
      const bytes = this.#bytes()
      log.warn({ 'file.size': bytes }, 'write-ahead log stays large, because another process reads the database')
    } catch {
      this.#nextLook = monotonicTime() + retryMs // the queue has logged why
    } finally {
      longReader.resume()
      this.#isTruncating = false
    }
  }

  #bytes(): number {
    return statSync(`${this.#options.file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  }
}
