// The main thread's side of the writer: it gathers the writes that wait while a group is being committed, and sends them
// as the next group. A transaction that own code runs in is a group by itself.

import { Worker } from 'node:worker_threads'
import { ApiError, type Gauge, type IdempotencyKey, type Log } from '#base'
import type { Query, QueryRows } from '../../sql/query.ts'
import type {
  Job,
  StatementsResult,
  WriteJob,
  WriteResult,
  Written,
  WrittenBatch,
} from '../../write/steps/write-job.ts'
import type { ExclusiveJob, WriterData } from './writer-thread.ts'

interface WriteQueueHooks {
  /** Called whenever a write comes. */
  beforeWrite: () => void
  /** Called when rows were written, and whoever wrote them has been answered. */
  wrote: () => void
}

interface QueuedWrite {
  /** Null for one that is alone, and says what it wants as it goes. */
  job: Job | null
  done: (result: WriteResult | null) => void
  failed: (error: unknown) => void
}

/** Whoever is alone asks so. */
export type ExclusiveRun = (job: Job) => Promise<Written | WrittenBatch | StatementsResult>

const noHooks: WriteQueueHooks = { beforeWrite() {}, wrote() {} }

export class WriteQueue {
  readonly #worker: Worker
  readonly #maxGroupedWrites: number
  readonly #log: Log
  readonly #ready: Promise<void>
  readonly #hooks: WriteQueueHooks
  #waiting: QueuedWrite[] = []
  #running: QueuedWrite[] = []
  /** Who waits for what the one that is alone has asked, in order. */
  #exclusiveRuns: { heard: (result: WriteResult) => void; failed: (error: unknown) => void }[] = []
  /** How many of those that wait want to be alone. */
  #exclusiveCount = 0
  #scheduled = false
  #groups = 0
  #writes = 0
  #stopped: ApiError | null = null

  /** `maxGroupedWrites` is how many writes may share a commit. */
  constructor(data: WriterData, maxGroupedWrites: number, log: Log, hooks: WriteQueueHooks = noHooks) {
    this.#hooks = hooks
    this.#log = log
    this.#maxGroupedWrites = maxGroupedWrites
    this.#worker = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: data })
    this.#ready = new Promise((resolve, reject) => {
      this.#worker.once('error', reject)
      this.#worker.once('message', () => {
        resolve()
        this.#worker.on('message', (results: WriteResult[]) => {
          const asking = this.#exclusiveRuns.shift()
          if (asking === undefined) this.#finish(results)
          else asking.heard(results[0]!)
        })
        this.#worker.on('error', (error) => this.#stop(error))
        this.#worker.on('exit', () => this.#stop(undefined))
      })
    })
  }

  ready(): Promise<void> {
    return this.#ready
  }

  get isAlive(): boolean {
    return this.#stopped === null
  }

  /** Whether every write that came has been answered. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#running.length === 0
  }

  gauges(): Gauge[] {
    return [
      {
        name: 'sqlite_pending_writes',
        kind: 'gauge',
        about: 'Writes that wait for a commit or are part of one.',
        value: () => this.#waiting.length + this.#running.length,
      },
      {
        name: 'sqlite_commit_groups_total',
        kind: 'counter',
        about: 'Groups of writes that shared a commit.',
        value: () => this.#groups,
      },
      { name: 'sqlite_writes_total', kind: 'counter', about: 'Writes in these groups.', value: () => this.#writes },
    ]
  }

  async write(job: WriteJob): Promise<Written> {
    return this.#resultOf((await this.#enqueue(job))!) as Written
  }

  /** In one savepoint: all of them or none. */
  async writeAll(
    jobs: WriteJob[],
    places: string[] | null = null,
    idempotencyKey: IdempotencyKey | null = null,
  ): Promise<WrittenBatch> {
    return this.#resultOf(
      (await this.#enqueue({ kind: 'batch', jobs, places, idempotencyKey: idempotencyKey }))!,
    ) as WrittenBatch
  }

  /** Runs statements on our own tables in one savepoint: all of them or none. */
  async run(...statements: Query[]): Promise<QueryRows[]> {
    const done = this.#resultOf((await this.#enqueue({ kind: 'statements', statements: statements }))!)
    return (done as StatementsResult).rows
  }

  /** Nothing else is written before `work` has ended. It says itself where its transaction begins and ends. */
  async exclusive<T>(work: (ask: ExclusiveRun) => Promise<T>): Promise<T> {
    this.#exclusiveCount++
    await this.#enqueue(null).finally(() => this.#exclusiveCount--)
    try {
      return await work(async (job) => this.#resultOf(await this.#runExclusive(job)))
    } finally {
      this.#running = []
      this.#send()
    }
  }

  #runExclusive(job: Job): Promise<WriteResult> {
    return new Promise((heard, failed) => {
      if (this.#stopped !== null) {
        failed(this.#stopped)
        return
      }
      this.#exclusiveRuns.push({ heard, failed })
      this.#worker.postMessage({ exclusive: job } satisfies ExclusiveJob)
    })
  }

  /** After a commit that was made alone. */
  wrote(): void {
    this.#hooks.wrote()
  }

  #enqueue(job: Job | null): Promise<WriteResult | null> {
    return new Promise((done, failed) => {
      if (this.#stopped !== null) {
        failed(this.#stopped)
        return
      }
      this.#hooks.beforeWrite()
      this.#waiting.push({ job, done, failed })
      this.#schedule()
    })
  }

  /** Finishes what waits, then ends the thread. */
  async close(): Promise<void> {
    if (this.#stopped !== null) return
    while (this.#waiting.length > 0 || this.#running.length > 0) await new Promise((resolve) => setTimeout(resolve, 1))
    if (!this.isAlive) return // it ended meanwhile, and no `exit` will come any more
    const gone = new Promise<void>((resolve) => this.#worker.once('exit', () => resolve()))
    this.#worker.postMessage('close')
    await gone
  }

  /** Sent at the end of this turn of the event loop, so that requests that came in together go together. */
  #schedule(): void {
    if (this.#scheduled || this.#running.length > 0) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#send()
    })
  }

  #send(): void {
    if (this.#running.length > 0 || this.#waiting.length === 0) return
    const alone = this.#exclusiveCount === 0 ? -1 : this.#waiting.findIndex(({ job }) => job === null)
    const together = alone < 0 ? this.#maxGroupedWrites : Math.min(this.#maxGroupedWrites, Math.max(1, alone))
    this.#running = this.#waiting.slice(0, together)
    this.#waiting = this.#waiting.slice(together)
    this.#groups++
    this.#writes += this.#running.length
    if (alone === 0) this.#running[0]!.done(null)
    else this.#worker.postMessage(this.#running.map(({ job }) => job))
  }

  #finish(results: readonly WriteResult[]): void {
    const finished = this.#running
    this.#running = []
    this.#send()
    finished.forEach(({ done }, index) => {
      done(results[index]!)
    })
    if (results.some(({ kind }) => kind === 'written' || kind === 'deleted' || kind === 'batch')) this.#hooks.wrote()
  }

  #stop(cause: unknown): void {
    if (this.#stopped !== null) return
    if (cause !== undefined)
      this.#log.error({ 'exception.stacktrace': String((cause as Error).stack) }, 'database writer stopped')
    this.#stopped = new ApiError(
      'UNAVAILABLE',
      'The database writer has stopped; whether the write was made is not known.',
      {
        headers: { 'retry-after': '1' },
        cause,
      },
    )
    for (const { failed } of [...this.#running, ...this.#waiting, ...this.#exclusiveRuns]) failed(this.#stopped)
    this.#exclusiveRuns = []
    this.#running = []
    this.#waiting = []
  }

  /** A failure is thrown here again, with the stack that it had in the writer. */
  #resultOf(result: WriteResult): Written | WrittenBatch | StatementsResult {
    switch (result.kind) {
      case 'fault': {
        const { code, message, hint, problems, headers } = result
        throw new ApiError(code, message, { hint, problems, headers })
      }
      case 'error': {
        const error = new Error(result.message)
        if (result.stack !== undefined) error.stack = result.stack
        if (!result.scarce) throw error
        this.#log.error({ 'exception.stacktrace': String(error.stack) }, 'database write failed')
        throw new ApiError('UNAVAILABLE', 'The database can take no writes just now.', {
          headers: { 'retry-after': '5' },
          cause: error,
        })
      }
      default:
        return result
    }
  }
}
