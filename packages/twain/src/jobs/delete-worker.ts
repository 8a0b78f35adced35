// Runs the deletes that are too large for one transaction, portion by portion (docs/internals/decisions/0048-large-deletes.md). A
// node that ends in the middle leaves the rest to another one, or to its next start: each portion looks afresh for what is left.

import { exceptionFields, type Gauge, type Log } from '#base'
import { clearInterval, monotonicTime, setInterval, sleep } from '#base/time'
import { deleteOf, type JobOutcome, type Store } from '#store'
import { QueueWorker, type RunningJob } from './queue-worker.ts'
import { retryDelayMs } from './retry-delay.ts'

export interface DeleteWorkerOptions {
  store: Pick<Store, 'jobs' | 'backgroundDeletes' | 'clock' | 'deletePortion'>
  log: Log
}

/** How soon this node hides what another one has begun to delete. */
const lookIntervalMs = 1000

/** How often a node looks for rows whose time in the trash is over. */
const purgeIntervalMs = 60_000
const leaseMs = 30_000
const pauses = { firstRetrySeconds: 1, maxRetryIntervalSeconds: 600 }

/** So that other writes get at least half of the time. */
const maxPauseMs = 100

const maxEndMs = 5_000
const retentionMs = 24 * 3_600_000

export class DeleteWorker {
  readonly #options: DeleteWorkerOptions
  readonly #capacity: ReadonlyMap<string, number>
  #worker: QueueWorker | null = null
  readonly #timers: NodeJS.Timeout[] = []
  #stopping: Promise<void> | null = null
  #isRunning = false
  #portions = 0

  constructor(options: DeleteWorkerOptions) {
    this.#options = options
    this.#capacity = new Map(options.store.backgroundDeletes.storageTypes.map((type) => [type, 1]))
  }

  async start(): Promise<void> {
    const { store, log } = this.#options
    const { jobs } = store
    if (!jobs.isShared) await jobs.release('delete', null) // left by a killed process
    this.#worker = new QueueWorker({
      kind: 'delete',
      store: jobs,
      leaseMs,
      log,
      capacity: () => this.#capacity,
      concurrency: 1,
      run: (_type, claimed) => claimed.map((job) => this.#run(job)),
      onFinished: () => void this.#refresh(),
    })
    this.#worker.wake()
    if (jobs.isShared) this.#timers.push(setInterval(() => void this.#refresh(), lookIntervalMs).unref())
    this.#timers.push(setInterval(() => void this.#purge(), purgeIntervalMs).unref())
    void this.#purge()
  }

  stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    this.#stopping ??= this.#worker?.stop(0, maxEndMs) ?? Promise.resolve()
    return this.#stopping
  }

  gauges(): Gauge[] {
    return [
      {
        name: 'background_deletes_running',
        kind: 'gauge',
        about: 'Deletes in the background that this node works on.',
        value: () => (this.#isRunning ? 1 : 0),
      },
      {
        name: 'background_delete_portions_total',
        kind: 'counter',
        about: 'Portions of deletes in the background that this node has committed.',
        value: () => this.#portions,
      },
    ]
  }

  /** It is never given up: its rows are hidden already. */
  async #run(job: RunningJob): Promise<JobOutcome> {
    const { store, log } = this.#options
    const root = deleteOf(job)
    this.#isRunning = true
    try {
      for (let isDone = false; !isDone; ) {
        if (job.signal.aborted) return { state: 'waiting', delayMs: 0, isReleased: true, attempts: [] }
        const began = monotonicTime()
        ;({ isDone } = await store.deletePortion(root))
        this.#portions++
        if (!isDone) await sleep(Math.min(maxPauseMs, monotonicTime() - began))
      }
      log.info({ type: root.type, id: root.id }, 'a delete in the background is complete')
      await store.jobs.prune('delete', retentionMs)
      return { state: 'done', attempts: [] }
    } catch (error) {
      const delayMs = retryDelayMs(job.tries, pauses)
      log.warn(
        { type: root.type, id: root.id, retry_seconds: Math.round(delayMs / 1000), ...exceptionFields(error) },
        'a delete in the background failed; retrying',
      )
      return { state: 'waiting', delayMs, attempts: [] }
    } finally {
      this.#isRunning = false
    }
  }

  /** Begins to delete the rows that nobody can restore any more. */
  async #purge(): Promise<void> {
    const { store, log } = this.#options
    try {
      while (this.#stopping === null && (await store.backgroundDeletes.purgeExpired(store.clock.earliest())));
    } catch (error) {
      log.warn(exceptionFields(error), 'deleted rows whose time is over could not be looked up')
    }
  }

  async #refresh(): Promise<void> {
    try {
      await this.#options.store.backgroundDeletes.refresh()
    } catch (error) {
      this.#options.log.warn(exceptionFields(error), 'deletes in the background could not be looked up')
    }
  }
}
