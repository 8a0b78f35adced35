// Prunes the change log at intervals: changes older than the retention time are deleted in batches. Every node prunes, and
// no node waits for another.

import { type Log, stackOf } from '#base'
import type { ChangeLog } from '#store'

/** The longest interval between two runs. A short retention time prunes more often. */
const pruneIntervalMs = 600_000

export class Retention {
  readonly #changes: Pick<ChangeLog, 'prune'>
  readonly #retentionSeconds: number
  readonly #log: Log
  readonly #timer: NodeJS.Timeout | null

  /** 0 seconds: changes are kept forever. */
  constructor(changes: Pick<ChangeLog, 'prune'>, retentionSeconds: number, log: Log) {
    this.#changes = changes
    this.#retentionSeconds = retentionSeconds
    this.#log = log
    this.#timer =
      retentionSeconds === 0
        ? null
        : setInterval(() => void this.prune(), Math.min(pruneIntervalMs, retentionSeconds * 250)).unref()
  }

  async prune(): Promise<void> {
    try {
      const pruned = await this.#changes.prune(new Date(Date.now() - this.#retentionSeconds * 1000).toISOString())
      if (pruned > 0) this.#log.info({ changes: pruned }, 'change log pruned')
    } catch (error) {
      this.#log.warn({ 'exception.stacktrace': stackOf(error) }, 'change log could not be pruned')
    }
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
  }
}
