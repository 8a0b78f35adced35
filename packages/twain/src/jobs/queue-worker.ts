// Runs the jobs of one kind on this node: claims what is due, renews the leases of what runs, and saves how each attempt ended.
//
// 1. It looks when it is woken, when the next job is due, and at intervals, because other nodes enqueue jobs, too.
// 2. A job whose lease this node has lost, or that an operator has cancelled, gets its signal: another node may run it by now.
// 3. When the worker stops, running jobs get their signal. What does not end in time waits again, for another node.

import { ApiError, exceptionFields, type Log, uuidv7 } from '#base'
import { clearInterval, setInterval, sleep } from '#base/time'
import type { ClaimedJob, JobKind, JobLease, JobOutcome, JobStore } from '#store'
import { WakeLoop } from './wake-loop.ts'

export interface RunningJob extends ClaimedJob {
  /** Aborted when the job must end. */
  signal: AbortSignal
}

export interface QueueWorkerOptions {
  kind: JobKind
  store: JobStore
  leaseMs: number
  log: Log
  /** By name: how many jobs this node may run at once just now. Jobs of other names are left to other nodes. */
  capacity(): ReadonlyMap<string, number>
  /** How many jobs this node may run at once, of all names. */
  concurrency: number
  /** Default: the claim of the store. */
  claim?(name: string, most: number, lease: JobLease): Promise<ClaimedJob[]>
  /** Runs jobs that were claimed together. A promise for each; one that rejects leaves its job to the end of its lease. */
  run(name: string, jobs: readonly RunningJob[]): Promise<JobOutcome>[]
  /** A job of this name has ended, and its outcome is saved. */
  onFinished?(name: string): void
}

const pollIntervalMs = 2_000
/** Another node has claimed what was due. */
const busyDelayMs = 1_000
const failureDelayMs = 1_000
const maxSaveAttempts = 8
const maxStopMs = 1_000

/** The reason of the signal when the worker stops. */
export class WorkerStopped extends Error {
  constructor() {
    super('The server is stopping.')
  }
}

/** The reason of the signal when the node no longer has the job. */
export class JobLost extends Error {
  constructor() {
    super('This node no longer has the job: its lease has ended, or an operator has cancelled it.')
  }
}

export class QueueWorker {
  /** The id of this node, which holds its leases. */
  readonly holder = uuidv7()
  readonly #options: QueueWorkerOptions
  readonly #running = new Map<string, { job: RunningJob; ending: AbortController; done: Promise<void> }>()
  /** Running jobs whose outcome is being saved: their lease may be over already. */
  readonly #saving = new Set<string>()
  readonly #unwatch: () => void
  readonly #heartbeat: NodeJS.Timeout
  readonly #loop = new WakeLoop(() => this.#pass())
  /** Whether it may hold leases. */
  #hasClaimed = false

  constructor(options: QueueWorkerOptions) {
    this.#options = options
    this.#unwatch = options.store.watch(options.kind, () => this.wake())
    this.#heartbeat = setInterval(() => void this.#renew(), options.leaseMs / 3).unref()
  }

  get runningCount(): number {
    return this.#running.size
  }

  /** Looks for due jobs, now or as soon as the present look is over. */
  wake(): void {
    this.#loop.wake()
  }

  wakeIn(milliseconds: number): void {
    this.#loop.wakeIn(milliseconds)
  }

  /** Claims nothing more. Running jobs have `graceMs` before they get their signal, and `endMs` after it. */
  async stop(graceMs: number, endMs: number): Promise<void> {
    this.#unwatch()
    await this.#loop.stop()
    await this.#ended(graceMs)
    for (const { ending } of this.#running.values()) ending.abort(new WorkerStopped())
    await this.#ended(endMs)
    clearInterval(this.#heartbeat)
    const { store, kind, log } = this.#options
    if (this.#running.size > 0)
      log.warn({ jobs: this.#running.size }, 'jobs did not end in time; another node runs them')
    if (!this.#hasClaimed) return
    try {
      await Promise.race([store.release(kind, this.holder), sleep(maxStopMs, undefined, { ref: false })])
    } catch (error) {
      log.warn(exceptionFields(error), 'jobs could not be released; their leases end on their own')
    }
  }

  async #ended(withinMs: number): Promise<void> {
    if (this.#running.size === 0 || withinMs === 0) return
    const all = Promise.all([...this.#running.values()].map(({ done }) => done))
    await Promise.race([all, sleep(withinMs, undefined, { ref: false })])
  }

  async #pass(): Promise<void> {
    const { log, kind } = this.#options
    try {
      await this.#claimDue()
    } catch (error) {
      log.warn({ kind, ...exceptionFields(error) }, 'jobs could not be claimed; retrying')
      this.wakeIn(failureDelayMs)
    }
  }

  async #claimDue(): Promise<void> {
    const { store, kind } = this.#options
    this.wakeIn(pollIntervalMs)
    const names = [...this.#options.capacity().keys()].filter((name) => this.#free(name) > 0)
    if (names.length === 0) return // it is woken when a job ends
    const due = [...(await store.nextDue(kind, names))].sort(([, a], [, b]) => a - b)
    for (const [name, delay] of due) {
      if (this.#loop.isStopped) return
      if (delay > 0) this.wakeIn(delay)
      else if (this.#free(name) > 0) await this.#claim(name)
    }
  }

  async #claim(name: string): Promise<void> {
    const { store, kind, leaseMs } = this.#options
    const claim = this.#options.claim ?? ((...args) => store.claim(kind, ...args))
    const free = this.#free(name)
    this.#hasClaimed = true
    const claimed = await claim(name, free, { holder: this.holder, leaseMs })
    if (claimed.length === 0) this.wakeIn(busyDelayMs)
    else if (claimed.length < free) this.wake()
    this.#start(name, claimed)
  }

  #free(name: string): number {
    const { capacity, concurrency } = this.#options
    let ofName = 0
    for (const { job } of this.#running.values()) if (job.name === name) ofName++
    return Math.min((capacity().get(name) ?? 0) - ofName, concurrency - this.#running.size)
  }

  #start(name: string, claimed: readonly ClaimedJob[]): void {
    const endings = claimed.map(() => new AbortController())
    const jobs = claimed.map((job, index) => ({ ...job, signal: endings[index]!.signal }))
    const outcomes = this.#options.run(name, jobs)
    for (const [index, job] of jobs.entries()) {
      const done = this.#finish(job, outcomes[index]!).finally(() => {
        this.#running.delete(job.id)
        this.#saving.delete(job.id)
        this.#options.onFinished?.(name)
        this.wake()
      })
      this.#running.set(job.id, { job, ending: endings[index]!, done })
    }
  }

  /** Tries again while the database is unavailable, so that no other node runs the job again. */
  async #finish({ id, name, signal }: RunningJob, outcome: Promise<JobOutcome>): Promise<void> {
    const { store, log, kind } = this.#options
    try {
      const ended = await outcome
      for (let attempt = 1; ; attempt++) {
        if (signal.reason instanceof JobLost) return
        try {
          this.#saving.add(id)
          const isSaved = await store.finish(id, this.holder, ended)
          if (!isSaved)
            log.warn({ kind, job: name, job_id: id }, 'a job ended after its lease; its outcome does not count')
          return
        } catch (error) {
          if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE' || attempt === maxSaveAttempts) throw error
          await sleep(failureDelayMs)
        }
      }
    } catch (error) {
      log.error(
        { kind, job: name, job_id: id, ...exceptionFields(error) },
        'the outcome of a job could not be saved; it runs again when its lease ends',
      )
    }
  }

  async #renew(): Promise<void> {
    if (this.#running.size === 0) return
    const { store, leaseMs, log, kind } = this.#options
    const running = [...this.#running.values()]
    try {
      const kept = await store.renew(
        running.map(({ job }) => job.id),
        { holder: this.holder, leaseMs },
      )
      for (const { job, ending } of running) {
        if (kept.has(job.id) || this.#saving.has(job.id) || this.#running.get(job.id)?.job !== job) continue
        log.warn({ kind, job: job.name, job_id: job.id }, 'this node no longer has a job that it runs')
        ending.abort(new JobLost())
      }
    } catch (error) {
      log.warn({ kind, ...exceptionFields(error) }, 'leases of jobs could not be renewed; retrying')
    }
  }
}
