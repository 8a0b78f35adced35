// The main thread's side of the writer thread. It collects the writes that arrive while a group commits and sends them as
// the next group. A transaction of custom code is a group of its own.
//
// 1. The thread starts at the first write: a server that only reads saves its memory, and each start its CPU time.
// 2. A write leaves the queue when the thread has opened the file. So if the thread does not start, nothing is written, the waiting
//    writes fail, and the next write starts another thread.
// 3. A thread that ends later leaves its group with an unknown outcome. The queue then takes no more writes.

import type { Worker } from 'node:worker_threads'
import { ApiError, cacheBytesHelp, type Gauge, type Log, unreachable } from '#base'
import type { IdempotencyKey } from '#base/http'
import { setTimeout } from '#base/time'
import { type CommitTimes, type StatementObserver, unobserved } from '../../observe/statement-observer.ts'
import { StorageFailures } from '../../observe/storage-failures.ts'
import type { Query, QueryRows } from '../../sql/query.ts'
import type { BackgroundDelete } from '../../system/jobs/background-deletes.ts'
import type {
  AppliedJob,
  BatchJob,
  BulkJob,
  DeletedPortion,
  Job,
  StatementsResult,
  WriteJob,
  WriteResult,
  Written,
  WrittenBatch,
  WrittenBulk,
  WrittenRows,
} from '../../write/steps/write-job.ts'
import { openWriteConnection } from '../connect/connect.ts'
import { type PackedResult, packBatch, unpackResult } from './pack-batch.ts'
import { type ExclusiveJob, type ReportedStatement, threadReportLength, type WriterData } from './writer-data.ts'
import { returnWriterThread } from './writer-threads.ts'

interface WriteQueueHooks {
  /** Called for each write that arrives. Throws if it can't be made. */
  beforeWrite: () => void
  /** Called after each commit, before its writes have their results. Throws if they must not be acknowledged. */
  beforeAnswer: () => void
  /** Called after rows were written and their clients have their results. */
  wrote: () => void
  /** Called after each commit. */
  committed: () => void
}

interface QueuedWrite {
  /** Null for an exclusive transaction, which sends its jobs later. */
  job: Job | null
  resolve: (result: WriteResult | null) => void
  reject: (error: unknown) => void
}

/** Runs a job of an exclusive transaction. */
export type ExclusiveRun = (job: Job) => Promise<AppliedJob | StatementsResult>

/** The results of jobs that may have written to the change log. */
const loggedKinds: ReadonlySet<WriteResult['kind']> = new Set(['written', 'deleted', 'batch', 'bulk', 'portion'])

export const noHooks: WriteQueueHooks = {
  beforeWrite() {},
  beforeAnswer() {},
  wrote() {},
  committed() {},
}

export class WriteQueue {
  readonly #takeThread: () => Worker
  readonly #data: WriterData
  readonly #maxGroupedWrites: number
  readonly #log: Log
  readonly #hooks: WriteQueueHooks
  readonly #report = new Float64Array(new SharedArrayBuffer(threadReportLength * Float64Array.BYTES_PER_ELEMENT))
  readonly #observer: StatementObserver
  readonly #failures: StorageFailures
  /** Null before the first write. */
  #worker: Worker | null = null
  /** Whether the thread has opened the file. */
  #isOpen = false
  #waiting: QueuedWrite[] = []
  #running: QueuedWrite[] = []
  /** The jobs of the exclusive transaction that wait for a result, in order. */
  #exclusiveRuns: { resolve: (result: WriteResult) => void; reject: (error: unknown) => void }[] = []
  /** How many of the pending entries are exclusive. */
  #exclusiveCount = 0
  #scheduled = false
  #groups = 0
  #writes = 0
  #stopped: ApiError | null = null
  /** Whether the disk, or memory, failed the last write. */
  #isFailing = false
  #isProbing = false
  /** The last commit, and how many writes it had. */
  #lastCommit: CommitTimes & { writes: number } = { began: 0, ended: 0, writes: 0 }

  /** `maxGroupedWrites` bounds the writes that share a commit. */
  constructor(
    takeThread: () => Worker,
    data: WriterData,
    maxGroupedWrites: number,
    log: Log,
    hooks: WriteQueueHooks = noHooks,
    observer: StatementObserver = unobserved,
    failures = new StorageFailures({}, log),
  ) {
    this.#failures = failures
    this.#takeThread = takeThread
    this.#data = { ...data, report: this.#report.buffer as SharedArrayBuffer }
    this.#hooks = hooks
    this.#observer = observer
    this.#log = log
    this.#maxGroupedWrites = maxGroupedWrites
  }

  get isAlive(): boolean {
    return this.#stopped === null
  }

  /** Whether the last write could be made. If not, it tries to write again for the next call: a server that reports "not ready"
   *  may get no other writes. */
  get isWritable(): boolean {
    if (this.#isFailing && !this.#isProbing) {
      this.#isProbing = true
      const probed = () => {
        this.#isProbing = false
      }
      this.run({ sql: 'UPDATE twain_epoch SET n = n', parameters: [] }).then(probed, probed)
    }
    return this.isAlive && !this.#isFailing
  }

  /** Whether every write has its result. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#running.length === 0
  }

  /** Whether the thread has committed the group that runs: its results are on their way. */
  get hasResults(): boolean {
    return this.#running.length > 0 && this.#report[2] !== this.#lastCommit.ended
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
      {
        name: 'cache_bytes',
        cache: 'writer',
        kind: 'gauge',
        about: cacheBytesHelp,
        value: () => this.#report[0]!,
      },
      { name: 'sqlite_writes_total', kind: 'counter', about: 'Writes in these groups.', value: () => this.#writes },
    ]
  }

  async write(job: WriteJob): Promise<Written> {
    const result = await this.#enqueue(job)
    this.#traceCommit()
    return this.#resultOf(result!) as Written
  }

  /** All writes in one savepoint: all of them or none. */
  async writeAll(
    jobs: WriteJob[],
    places: readonly string[] | null = null,
    idempotencyKey: IdempotencyKey | null = null,
    readBacks: BatchJob['readBacks'] = null,
  ): Promise<WrittenBatch> {
    const result = await this.#enqueue({ kind: 'batch', jobs, places, readBacks, idempotencyKey })
    this.#traceCommit()
    return this.#resultOf(result!) as WrittenBatch
  }

  /** The same write of several rows in one savepoint. */
  async writeBulk(job: BulkJob): Promise<WrittenBulk> {
    const result = await this.#enqueue(job)
    this.#traceCommit()
    return this.#resultOf(result!) as WrittenBulk
  }

  async deletePortion(root: BackgroundDelete): Promise<DeletedPortion> {
    return this.#resultOf((await this.#enqueue({ kind: 'portion', root }))!) as DeletedPortion
  }

  /** Runs statements on the system tables: all of them or none. */
  async run(...statements: Query[]): Promise<QueryRows[]> {
    const done = this.#resultOf((await this.#enqueue({ kind: 'statements', statements: statements }))!)
    return (done as StatementsResult).rows
  }

  /** Lets `work` write alone until it ends. It begins and ends its transaction itself. */
  async exclusive<T>(work: (run: ExclusiveRun) => Promise<T>): Promise<T> {
    this.#exclusiveCount++
    await this.#enqueue(null).finally(() => this.#exclusiveCount--)
    try {
      const run: ExclusiveRun = async (job) =>
        this.#resultOf(await this.#runExclusive(job)) as AppliedJob | StatementsResult
      const made = await work(run)
      this.#hooks.beforeAnswer()
      return made
    } finally {
      this.#running = []
      this.#send()
      this.#hooks.committed()
    }
  }

  /** Moves the write-ahead log into the database file and empties it: false if another process reads from it. */
  truncateLog(): Promise<boolean> {
    return this.exclusive(async (run) => {
      const statements = ['PRAGMA busy_timeout = 100', 'PRAGMA wal_checkpoint(TRUNCATE)', 'PRAGMA busy_timeout = 5000']
      const done = await run({ kind: 'statements', statements: statements.map((sql) => ({ sql, parameters: [] })) })
      const [[isBusy] = [1]] = (done as StatementsResult).rows[1]!
      return isBusy === 0
    })
  }

  /** Called by a write as soon as it has its result: then the last commit is that of its group. */
  #traceCommit(): void {
    if (this.#observer.tracing !== null) this.#observer.committed(this.#lastCommit, this.#lastCommit.writes)
  }

  #runExclusive(job: Job): Promise<WriteResult> {
    return new Promise((resolve, reject) => {
      if (this.#stopped !== null) {
        reject(this.#stopped)
        return
      }
      this.#exclusiveRuns.push({ resolve, reject })
      this.#worker!.postMessage({ exclusive: packBatch(this.#recorded(job)) } satisfies ExclusiveJob)
    })
  }

  /** Called after the commit of an exclusive transaction. */
  wrote(): void {
    this.#hooks.wrote()
  }

  #enqueue(job: Job | null): Promise<WriteResult | null> {
    return new Promise((resolve, reject) => {
      if (this.#stopped !== null) {
        reject(this.#stopped)
        return
      }
      this.#hooks.beforeWrite()
      this.#waiting.push({ job: job && this.#recorded(job), resolve, reject })
      this.#schedule()
    })
  }

  #recorded(job: Job): Job {
    const { recording } = this.#observer
    return recording === null ? job : { ...job, recording: recording.id }
  }

  /** Finishes the pending writes, then closes the file. */
  async close(): Promise<void> {
    if (this.#stopped !== null) return
    while (this.#waiting.length > 0 || this.#running.length > 0) await new Promise((resolve) => setTimeout(resolve, 1))
    if (!this.isAlive) return // it stopped meanwhile, and emits no `exit` again
    const worker = this.#worker
    if (worker === null) this.#moveLog()
    else {
      const closed = new Promise<void>((resolve) => {
        worker.once('exit', () => resolve())
        worker.on('message', (message) => message === 'closed' && resolve())
      })
      worker.postMessage('close')
      await closed
      if (!this.isAlive) return
    }
    this.#stop(undefined)
    if (worker !== null) returnWriterThread(worker)
  }

  /** Without a writer thread, commands such as `twain key` may have written to the write-ahead log, and no connection of the server
   *  can move it into the database file. */
  #moveLog(): void {
    try {
      this.#hooks.beforeWrite() // where the file has gone, none must begin
      openWriteConnection(this.#data.file).close()
    } catch {
      // SQLite reads the log at the next start
    }
  }

  /** Sends at the end of this turn of the event loop, so that simultaneous requests share a group. */
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
    if (!this.#isOpen) {
      this.#start()
      return
    }
    const alone = this.#exclusiveCount === 0 ? -1 : this.#waiting.findIndex(({ job }) => job === null)
    const together = alone < 0 ? this.#maxGroupedWrites : Math.min(this.#maxGroupedWrites, Math.max(1, alone))
    this.#running = this.#waiting.slice(0, together)
    this.#waiting = this.#waiting.slice(together)
    this.#groups++
    this.#writes += this.#running.length
    if (alone === 0) this.#running[0]!.resolve(null)
    else this.#worker!.postMessage(this.#running.map(({ job }) => job && packBatch(job)))
  }

  #start(): void {
    if (this.#worker !== null) return // it opens the file just now
    let worker: Worker
    try {
      worker = this.#takeThread()
    } catch (error) {
      this.#failStart(error) // the system has no thread left
      return
    }
    this.#worker = worker
    const failed = (cause: unknown) => {
      for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
      this.#worker = null
      this.#failStart(cause)
    }
    worker.once('error', failed)
    worker.once('exit', failed)
    worker.once('message', () => {
      worker.off('error', failed).off('exit', failed)
      worker.on('message', (message) => this.#receive(message))
      worker.on('error', (error) => this.#stop(error))
      worker.on('exit', () => this.#stop(undefined))
      this.#isOpen = true
      this.#send()
    })
    worker.postMessage(this.#data)
  }

  /** Nothing was sent to the thread (2). The next group that succeeds ends the failure; exclusive writes do not, so that a service with
   *  no others is not ready until `/readyz` probes. */
  #failStart(cause: unknown): void {
    this.#isFailing = true
    const stack = cause instanceof Error ? cause.stack : undefined
    this.#log.error({ 'exception.stacktrace': stack ?? `exit code ${cause}` }, 'database writer did not start')
    const error = new ApiError('UNAVAILABLE', 'The database writer did not start; nothing was written.', {
      headers: { 'retry-after': '1' },
      cause,
    })
    const waiting = this.#waiting
    this.#waiting = []
    for (const { reject } of waiting) reject(error)
  }

  #receive(message: (WriteResult | PackedResult)[] | ReportedStatement | 'closed'): void {
    if (message === 'closed') return
    if (!Array.isArray(message)) {
      const { milliseconds, sql, subject, recording } = message
      if (recording !== undefined) this.#observer.recordingById(recording)?.add(subject, sql, milliseconds)
      this.#observer.took(milliseconds, sql, subject)
      return
    }
    const results = message.map(unpackResult)
    const running = this.#exclusiveRuns.shift()
    if (running === undefined) this.#finish(results)
    else running.resolve(results[0]!)
  }

  #finish(results: readonly WriteResult[]): void {
    this.#isFailing = results.every((result) => result.kind === 'error' && result.isResourceError)
    const finished = this.#running
    const [, began = 0, ended = 0] = this.#report // before the thread gets the next group
    this.#lastCommit = { began, ended, writes: finished.length }
    this.#running = []
    this.#send()
    this.#answer(finished, results)
    if (results.some(({ kind }) => loggedKinds.has(kind))) this.#hooks.wrote()
    this.#hooks.committed()
  }

  #answer(finished: readonly QueuedWrite[], results: readonly WriteResult[]): void {
    try {
      this.#hooks.beforeAnswer()
    } catch (error) {
      for (const { reject } of finished) reject(error)
      return
    }
    finished.forEach(({ resolve }, index) => {
      resolve(results[index]!)
    })
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
    for (const { reject } of [...this.#running, ...this.#waiting, ...this.#exclusiveRuns]) reject(this.#stopped)
    this.#exclusiveRuns = []
    this.#running = []
    this.#waiting = []
  }

  /** Throws a failure again, with its stack from the writer thread. */
  #resultOf(result: WriteResult): AppliedJob | WrittenRows | StatementsResult | DeletedPortion {
    switch (result.kind) {
      case 'apiError': {
        const { code, message, hint, problems, headers, place, deniedRight } = result
        throw new ApiError(code, message, { hint, problems, headers, place, deniedRight })
      }
      case 'error': {
        const error = new Error(result.message)
        if (result.stack !== undefined) error.stack = result.stack
        if (result.failure !== null) throw this.#failures.met(result.failure, error)
        if (!result.isResourceError) throw error
        this.#log.error({ 'exception.stacktrace': String(error.stack) }, 'database write failed')
        throw new ApiError('UNAVAILABLE', 'The database can take no writes just now.', {
          headers: { 'retry-after': '5' },
          cause: error,
        })
      }
      case 'applied':
      case 'written':
      case 'deleted':
      case 'batch':
      case 'bulk':
      case 'portion':
      case 'done':
        return result
      default:
        return unreachable(result)
    }
  }
}
