// A transaction that stays open while custom code runs in it (hooks). Its reads and writes see each other, nobody else sees
// them, and all are committed or none.
//
// 1. Its time is bounded, because other writes wait for it. After the timeout the store rolls it back. Its time begins with its
//    first query.
// 2. A call after its end fails: custom code may have forgotten to await it.
// 3. It runs one call at a time.

import { ApiError, uuidv7 } from '#base'
import type { IdempotencyKey, Viewer } from '#base/http'
import type { AuthorizedPlan, BulkWrite, PlanResult, ReadPlan, WritePlan } from '#plan'
import type { ChangeRecord } from '../changes/change-log.ts'
import type { Query, QueryRows } from '../sql/query.ts'
import type { IdempotencyQueries } from '../system/idempotency-records.ts'
import type { ImportQueries, ImportStep } from '../system/import-positions.ts'
import type { JobQueries } from '../system/jobs/job-queries.ts'
import type { NewJob } from '../system/jobs/job-store.ts'
import type { StorageTypeNames } from '../tables/layout.ts'
import type {
  AppliedJob,
  BatchJob,
  BulkJob,
  RowsJob,
  WriteJob,
  Written,
  WrittenBatch,
  WrittenBulk,
  WrittenRows,
} from './steps/write-job.ts'

/** docs/reference/custom-code.md states this limit. */
export const maxTransactionMs = 1000

export interface TransactionOptions {
  /** Default: the time of custom code. */
  timeoutMs?: number
  /** Whether it must not overwrite what others wrote after it has read it, also if other writes do without that. */
  isSerializable?: boolean
}

export interface OpenTransaction {
  run(plan: AuthorizedPlan, values: readonly unknown[], options: RunOptions, viewer: Viewer): Promise<PlanResult>
  transact(
    writes: readonly PlacedWrite[],
    idempotencyKey: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }>
  /** Returns the changes since the last call, in their order, cascades included. */
  written(): WrittenChange[]
  /** Enqueues a job with this transaction: it exists if the transaction commits. Returns its id. */
  enqueue(job: NewJob): Promise<string>
  readonly hasEnqueued: boolean
  /** Stores with this transaction how far an import has come. Rejects if another process has gone on from there. */
  saveImport(step: ImportStep): Promise<void>
  /** What was remembered under the key; null: nothing. No other transaction has the key until this one has ended. Throws an
   *  ApiError if one has it, or if it was used for another request. */
  recall<Result extends object>(key: IdempotencyKey): Promise<Result | null>
  /** Stores a result under a key with this transaction. */
  remember(key: IdempotencyKey, result: object): Promise<void>
  /** Reads and changes system tables as a part of it. */
  query(...queries: Query[]): Promise<readonly QueryRows[]>
  /** Waits until no other transaction holds the lock of this row, and holds it until this transaction has ended. */
  lock(resource: string, id: string): Promise<void>
  /** Runs `work`. If it rejects, what it wrote is rolled back. */
  savepoint<T>(work: () => Promise<T>): Promise<T>
  /** Runs `work`, rolls back what it wrote, and returns its result. */
  dryRun<T>(work: () => Promise<T>): Promise<T>
  /** Runs `work`. Each of its writes gets its ids from the seed at its place in the list; missing seeds are added. So a second run
   *  creates the same rows. */
  withIdSeeds<T>(seeds: string[], work: () => Promise<T>): Promise<T>
}

/** What a plan is run with. */
export interface RunOptions {
  /** Whether the result of a page by offset says if rows follow. */
  more?: boolean
  /** Whether the read must see the last change, because a write follows it: a replica may lack that change. */
  fresh?: boolean
  /** Waits for the lock of the row first; only in an open transaction. */
  lock?: boolean
  idempotencyKey?: IdempotencyKey
  /** Whether a delete that is too large may run in the background; not in an open transaction. */
  isAsync?: boolean
  /** The client that the work is done for. */
  caller?: { client: string } | undefined
}

/** What a single write is run with. */
export interface WriteOptions {
  idempotencyKey?: IdempotencyKey | null
  isAsync?: boolean
}

/** One write of a transaction, with its own values. */
export interface PlacedWrite {
  place: string
  plan: AuthorizedPlan<WritePlan>
  values: readonly unknown[]
}

/** One entry of the change log, in short. */
export interface WrittenChange {
  resource: string
  id: string
  kind: ChangeRecord['kind']
}

/** What a store implements to run calls in its transaction. */
export interface TransactionBackend {
  /** Waits until the transaction may begin. Called before its first query. */
  begin(): Promise<void>
  query(...queries: Query[]): Promise<readonly QueryRows[]>
  /** Waits for a lock, and holds it until the transaction has ended. */
  lock(name: string): Promise<void>
  /** Applies the job. A write that fails has written nothing. */
  apply(job: RowsJob): Promise<AppliedJob>
  readQuery(plan: AuthorizedPlan<ReadPlan>, values: readonly unknown[], more: boolean, viewer: Viewer): Query
  toAnswer(plan: ReadPlan, row: unknown[] | null): PlanResult
  buildJob(plan: WritePlan, values: readonly unknown[], viewer: Viewer): WriteJob
  buildBatch(
    writes: readonly { plan: WritePlan; values: readonly unknown[] }[],
    build: (plan: WritePlan, values: readonly unknown[]) => WriteJob,
    viewer: Viewer,
  ): Pick<BatchJob, 'jobs' | 'readBacks'>
  buildBulk(plan: BulkWrite, values: readonly unknown[], options: WriteOptions, viewer: Viewer): BulkJob
  toWritten(written: Written, plan: WritePlan): Written
  types: StorageTypeNames
  jobs: JobQueries
  imports: ImportQueries
  idempotency: IdempotencyQueries
}

class BackendTransaction implements OpenTransaction {
  hasEnqueued = false
  readonly #backend: TransactionBackend
  /** What was written so far, and how much of it `written` has returned. */
  #changes: WrittenChange[] = []
  #seen = 0
  #savepointDepth = 0
  #seeds: { list: string[]; used: number } | null = null

  constructor(backend: TransactionBackend) {
    this.#backend = backend
  }

  async run(
    plan: AuthorizedPlan,
    values: readonly unknown[],
    options: RunOptions,
    viewer: Viewer,
  ): Promise<PlanResult> {
    const { idempotencyKey = null } = options
    if (plan.kind === 'batch') {
      const writes = plan.writes.map((write, index) => ({
        place: plan.places?.[index] ?? String(index),
        plan: write,
        values,
      }))
      return this.#writeAll(writes, idempotencyKey, viewer)
    }
    if (plan.kind === 'write') {
      const job = this.#job(plan, values, viewer)
      return this.#backend.toWritten((await this.#apply({ ...job, idempotencyKey })) as Written, plan)
    }
    if (plan.kind === 'bulk') {
      const job = this.#backend.buildBulk(plan, values, { idempotencyKey }, viewer)
      return (await this.#apply({ ...job, write: this.#seeded(job.write) })) as WrittenBulk
    }
    const read = plan as AuthorizedPlan<ReadPlan>
    if (options.lock === true && read.kind === 'one' && read.id !== null) {
      await this.lock(read.of.name, String(values[read.id.index]))
    }
    const [rows] = await this.#backend.query(this.#backend.readQuery(read, values, options.more === true, viewer))
    return this.#backend.toAnswer(read, rows![0] ?? null)
  }

  transact(
    writes: readonly PlacedWrite[],
    idempotencyKey: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }> {
    return this.#writeAll(writes, idempotencyKey, viewer)
  }

  async #writeAll(
    writes: readonly (Omit<PlacedWrite, 'plan'> & { plan: WritePlan })[],
    idempotencyKey: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }> {
    const build = (plan: WritePlan, values: readonly unknown[]) => this.#job(plan, values, viewer)
    const { jobs, readBacks } = this.#backend.buildBatch(writes, build, viewer)
    const places = writes.map(({ place }) => place)
    const made = (await this.#apply({ kind: 'batch', jobs, places, readBacks, idempotencyKey })) as WrittenBatch
    const answers = made.answers.map((written, index) => this.#backend.toWritten(written, writes[index]!.plan))
    return { ...made, answers }
  }

  #job(plan: WritePlan, values: readonly unknown[], viewer: Viewer): WriteJob {
    return this.#seeded(this.#backend.buildJob(plan, values, viewer))
  }

  #seeded(job: WriteJob): WriteJob {
    if (this.#seeds === null) return job
    const { list, used } = this.#seeds
    const idSeed = list[used] ?? uuidv7()
    list[used] = idSeed
    this.#seeds.used++
    return { ...job, idSeed }
  }

  async withIdSeeds<T>(seeds: string[], work: () => Promise<T>): Promise<T> {
    const outer = this.#seeds
    this.#seeds = { list: seeds, used: 0 }
    try {
      return await work()
    } finally {
      this.#seeds = outer
    }
  }

  async #apply(job: RowsJob): Promise<WrittenRows> {
    const { result, changes } = await this.#backend.apply(job)
    for (const { type, id, kind } of changes) {
      this.#changes.push({ resource: this.#backend.types.current(type), id, kind })
    }
    return result
  }

  written(): WrittenChange[] {
    const changes = this.#changes.slice(this.#seen)
    this.#seen = this.#changes.length
    return changes
  }

  enqueue(job: NewJob): Promise<string> {
    this.hasEnqueued = true
    return this.#backend.jobs.enqueue(job, (...queries) => this.#backend.query(...queries))
  }

  saveImport(step: ImportStep): Promise<void> {
    return this.#backend.imports.save(step, (query) => this.#backend.query(query))
  }

  recall<Result extends object>(key: IdempotencyKey): Promise<Result | null> {
    return this.#backend.idempotency.recall(key, (...queries) => this.#backend.query(...queries))
  }

  async remember(key: IdempotencyKey, result: object): Promise<void> {
    await this.#backend.query(...this.#backend.idempotency.save(key, result))
  }

  query(...queries: Query[]): Promise<readonly QueryRows[]> {
    return this.#backend.query(...queries)
  }

  lock(resource: string, id: string): Promise<void> {
    return this.#backend.lock(`${resource} ${id}`)
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const { release, undo } = await this.#savepoint()
    let made: T
    try {
      made = await work()
    } catch (error) {
      await undo()
      throw error
    }
    await release()
    return made
  }

  async dryRun<T>(work: () => Promise<T>): Promise<T> {
    const { undo } = await this.#savepoint()
    try {
      return await work()
    } finally {
      await undo()
    }
  }

  async #savepoint(): Promise<{ release(): Promise<unknown>; undo(): Promise<unknown> }> {
    const point = `point_${++this.#savepointDepth}`
    const seen = this.#seen
    const changes = this.#changes
    this.#changes = [...changes]
    const release: Query = { sql: `RELEASE ${point}`, parameters: [] }
    await this.#backend.query({ sql: `SAVEPOINT ${point}`, parameters: [] })
    return {
      release: () => {
        this.#savepointDepth--
        return this.#backend.query(release)
      },
      undo: () => {
        this.#savepointDepth--
        this.#seen = seen
        this.#changes = changes
        return this.#backend.query({ sql: `ROLLBACK TO ${point}`, parameters: [] }, release)
      },
    }
  }
}

/** Ends the transaction after the timeout (1) and refuses later calls (2). */
export async function runOpenTransaction<T>(
  backend: TransactionBackend,
  timeoutMs: number,
  work: (inside: OpenTransaction) => Promise<T>,
): Promise<T> {
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  const { promise: late, reject } = Promise.withResolvers<never>()
  const open = async () => {
    if (timer === undefined) {
      await backend.begin()
      timer ??= setTimeout(() => reject(transactionTimeout(timeoutMs)), timeoutMs)
    }
    if (isOver) throw new Error('the transaction has ended: custom code must await its calls')
  }
  const guarded: TransactionBackend = {
    ...backend,
    async query(...queries) {
      await open()
      return backend.query(...queries)
    },
    async lock(name) {
      if (isOver) await open()
      return backend.lock(name)
    },
    async apply(job) {
      await open()
      return backend.apply(job)
    },
  }
  try {
    return await Promise.race([work(new BackendTransaction(guarded)), late])
  } finally {
    isOver = true
    clearTimeout(timer)
  }
}

function transactionTimeout(milliseconds: number): ApiError {
  return new ApiError(
    'UNAVAILABLE',
    `The write took longer than ${milliseconds / 1000} s and was stopped; nothing was written.`,
    {
      hint: 'Other writes wait for this one. Send it again. If its custom code is slow, do that work after the write (on), or before it.',
      headers: { 'retry-after': '1' },
    },
  )
}
