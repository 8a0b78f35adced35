// How long changes are kept: now and then the oldest are forgotten, in portions. Every node does it; none waits for another.

import { type Log, stackOf } from '#base'
import type { ChangeLog } from '#store'

/** Milliseconds: often enough that little is left over, seldom enough to cost nothing. */
const interval = 600_000

export class Retention {
  readonly #changes: Pick<ChangeLog, 'prune'>
  readonly #keep: number
  readonly #log: Log
  readonly #timer: NodeJS.Timeout | null

  /** `keep` in seconds; 0 is forever. */
  constructor(changes: Pick<ChangeLog, 'prune'>, keep: number, log: Log) {
    this.#changes = changes
    this.#keep = keep
    this.#log = log
    this.#timer = keep === 0 ? null : setInterval(() => void this.prune(), Math.min(interval, keep * 250)).unref()
  }

  async prune(): Promise<void> {
    try {
      const pruned = await this.#changes.prune(new Date(Date.now() - this.#keep * 1000).toISOString())
      if (pruned > 0) this.#log.info({ changes: pruned }, 'change log pruned')
    } catch (error) {
      this.#log.warn({ 'exception.stacktrace': stackOf(error) }, 'change log could not be pruned')
    }
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
  }
}
