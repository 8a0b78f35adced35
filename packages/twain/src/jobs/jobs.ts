// The jobs of custom code: runs them with their time limits and retries, fires their schedules, and keeps finished ones for a while.

import { didYouMean, exceptionFields, type Gauge, type Log, stackOf } from '#base'
import { clearInterval, clearTimeout, monotonicTime, setInterval, setTimeout, wallTime } from '#base/time'
import type { JobAttempt, JobCounts, JobOutcome, JobStore } from '#store'
import type { JobDefinition } from './job-definition.ts'
import { JobLost, QueueWorker, type RunningJob, WorkerStopped } from './queue-worker.ts'
import { retryDelayMs } from './retry-delay.ts'
import { Schedules } from './schedules.ts'
import { defaultQueueSettings, type QueueSettings } from './settings.ts'

export interface JobsOptions {
  store: JobStore
  definitions: readonly JobDefinition[]
  /** Rejects if the job fails. */
  run(job: RunningJob): Promise<void>
  settings?: QueueSettings | undefined
  log: Log
}

const pauses = { firstRetrySeconds: 10, maxRetryIntervalSeconds: 6 * 3600 }
const maxStoredAttempts = 20
const maxErrorLength = 1000
const pruneIntervalMs = 600_000
const lookIntervalMs = 15_000

/** How long a job that got its signal may go on while the server stops. */
const maxEndMs = 5_000

const kind = 'code'

export class Jobs {
  readonly #options: JobsOptions
  readonly #settings: QueueSettings
  readonly #definitions: ReadonlyMap<string, JobDefinition>
  readonly #schedules: Schedules
  readonly #timers: NodeJS.Timeout[] = []
  #worker: QueueWorker | null = null
  #stopping: Promise<void> | null = null
  #counts: JobCounts = { waiting: 0, running: 0, failed: 0 }
  #attempts = 0
  #failures = 0
  /** The names that were reported last. */
  #unknown = ''

  constructor(options: JobsOptions) {
    this.#options = options
    this.#settings = options.settings ?? defaultQueueSettings
    this.#definitions = new Map(options.definitions.map((definition) => [definition.name, definition]))
    this.#schedules = new Schedules(options)
  }

  async start(): Promise<void> {
    const { store, log } = this.#options
    const { concurrency, leaseSeconds } = this.#settings
    if (this.#definitions.size === 0 || concurrency === 0) {
      await this.#look()
      return
    }
    if (!store.isShared) await store.release(kind, null) // left by a killed process
    const capacity = new Map([...this.#definitions.values()].map((job) => [job.name, job.concurrency]))
    this.#worker = new QueueWorker({
      kind,
      store,
      leaseMs: leaseSeconds * 1000,
      log,
      capacity: () => capacity,
      concurrency,
      run: (_name, jobs) => jobs.map((job) => this.#attempt(job)),
    })
    await this.#schedules.start()
    this.#worker.wake()
    this.#timers.push(setInterval(() => void this.#look(), lookIntervalMs).unref())
    this.#timers.push(setInterval(() => void this.#prune(), pruneIntervalMs).unref())
    await this.#look()
  }

  /** Running jobs get their signal. What does not end in time is left to other nodes, or to the next start. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  gauges(): Gauge[] {
    const counted = (name: keyof JobCounts, about: string): Gauge => ({
      name: `jobs_${name}`,
      kind: 'gauge',
      about,
      value: () => this.#counts[name],
    })
    return [
      counted('waiting', 'Background jobs that wait, in the whole queue.'),
      counted('failed', 'Background jobs that were given up and are kept.'),
      {
        name: 'jobs_running',
        kind: 'gauge',
        about: 'Background jobs that this node runs.',
        value: () => this.#worker?.runningCount ?? 0,
      },
      {
        name: 'job_attempts_total',
        kind: 'counter',
        about: 'Attempts of background jobs that ended on this node.',
        value: () => this.#attempts,
      },
      {
        name: 'job_failures_total',
        kind: 'counter',
        about: 'Attempts of background jobs that failed on this node.',
        value: () => this.#failures,
      },
    ]
  }

  async #stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await this.#schedules.stop()
    await this.#worker?.stop(0, maxEndMs)
  }

  async #attempt(job: RunningJob): Promise<JobOutcome> {
    const { name, attempts, tries, isTakenOver } = job
    const { retries, timeLimitMs } = this.#definitions.get(name)!
    const { log } = this.#options
    const about = { job: name, job_id: job.id, attempt: tries }
    if (isTakenOver) log.warn(about, 'a job was taken over: the lease of the node that ran it has ended')
    if (tries > retries + 1) {
      log.error(about, 'job given up: the servers that ran it ended')
      return { state: 'failed', attempts: withAttempt(attempts, wallTime(), 0, 'The servers that ran it ended.') }
    }
    const at = wallTime()
    const began = monotonicTime()
    const tried = (error: string | null) => withAttempt(attempts, at, Math.round(monotonicTime() - began), error)
    try {
      await withTimeLimit(job, timeLimitMs, (limited) => this.#options.run(limited))
      this.#attempts++
      return { state: 'done', attempts: tried(null) }
    } catch (error) {
      if (job.signal.reason instanceof WorkerStopped || job.signal.reason instanceof JobLost)
        return { state: 'waiting', delayMs: 0, isReleased: true, attempts }
      this.#attempts++
      this.#failures++
      const made = tried(describe(error))
      const isLast = tries > retries
      const fields = { ...about, 'exception.stacktrace': stackOf(error) }
      if (isLast) {
        log.error(fields, 'job failed; giving up')
        return { state: 'failed', attempts: made }
      }
      const delayMs = retryDelayMs(tries, pauses)
      log.warn({ ...fields, retry_seconds: Math.round(delayMs / 1000) }, 'job failed; retrying')
      return { state: 'waiting', delayMs, attempts: made }
    }
  }

  /** Counts the queue, and reports jobs that only other nodes can run. */
  async #look(): Promise<void> {
    const { store, log } = this.#options
    try {
      if (this.#worker !== null) this.#counts = await store.count(kind)
      const known = [...this.#definitions.keys()]
      const unknown = (await store.otherNames(kind, known)).map((name) => `${name}${didYouMean(name, known)}`)
      const reported = unknown.join(', ')
      if (reported !== this.#unknown && reported !== '')
        log.warn(
          { jobs: unknown },
          'jobs are due that the code of this node does not have; they wait for a node that does',
        )
      this.#unknown = reported
    } catch (error) {
      log.warn(exceptionFields(error), 'jobs could not be counted')
    }
  }

  async #prune(): Promise<void> {
    const { store, log } = this.#options
    try {
      await store.prune(kind, this.#settings.retentionSeconds * 1000)
    } catch (error) {
      log.warn(exceptionFields(error), 'old jobs could not be deleted')
    }
  }
}

/** Rejects after the time limit; the signal of the job tells the code. */
async function withTimeLimit(
  job: RunningJob,
  timeLimitMs: number,
  run: (job: RunningJob) => Promise<void>,
): Promise<void> {
  const limit = new AbortController()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = new Error(`The job did not end within its time limit of ${timeLimitMs / 1000} s.`)
    late.reject(error)
    limit.abort(error)
  }, timeLimitMs)
  try {
    const signal = AbortSignal.any([job.signal, limit.signal])
    await Promise.race([run({ ...job, signal }), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function withAttempt(attempts: readonly JobAttempt[], at: number, took: number, error: string | null): JobAttempt[] {
  return [...attempts, { at, took, error }].slice(-maxStoredAttempts)
}

function describe(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text.length > maxErrorLength ? `${text.slice(0, maxErrorLength)}…` : text
}
