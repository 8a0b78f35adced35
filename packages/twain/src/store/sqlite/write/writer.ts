// Writes of the SQLite store: plan → job → writer thread → result.
//
// 1. A long result must not block the writer: it is read after the commit, in a reader process.
// 2. A transaction of custom code has the writer to itself, and is rolled back if anything in it fails.
// 3. The sizes of the written rows are added to the table sizes, which decide how later reads run.

import { ApiError } from '#base'
import { clientKey, type IdempotencyKey, type Viewer } from '#base/http'
import type { Resource, ToManyField } from '#model'
import type { BulkWrite, PlanResult, WriteBatch, WritePlan } from '#plan'
import type { StatementObserver } from '../../observe/statement-observer.ts'
import { estimateReadBack } from '../../read/estimate.ts'
import { notReadBack, toResult } from '../../read/read-result.ts'
import { type BoundRead, bindRead } from '../../sql/bind.ts'
import type { Query } from '../../sql/query.ts'
import { type CompiledRead, compileReadBack } from '../../sql/read.ts'
import type { IdempotencyRecords } from '../../system/idempotency-records.ts'
import type { ImportPositions } from '../../system/import-positions.ts'
import type { BackgroundDeletes } from '../../system/jobs/background-deletes.ts'
import type { SqlJobStore } from '../../system/jobs/sql-job-store.ts'
import { type Layout, StorageTypeNames } from '../../tables/layout.ts'
import type {
  OpenTransaction,
  PlacedWrite,
  TransactionBackend,
  TransactionOptions,
  WriteOptions,
} from '../../write/open-transaction.ts'
import { runOpenTransaction, TransactionTime } from '../../write/run-open-transaction.ts'
import {
  type AppliedJob,
  isBegunDelete,
  type JobField,
  type JobRow,
  type StatementsResult,
  type WriteJob,
  type Written,
} from '../../write/steps/write-job.ts'
import { WriteJobBuilder } from '../../write/write-job-builder.ts'
import { sqlite } from '../dialect.ts'
import type { LongReader } from '../read/long-reader.ts'
import type { EstimatedRead, ReadCost } from '../read/read-cost.ts'
import type { SqliteReader } from '../read/reader.ts'
import type { TableSizes } from '../read/table-sizes.ts'
import type { ExclusiveRun, WriteQueue } from './write-queue.ts'

interface SqliteWriterOptions {
  layout: Layout
  queue: WriteQueue
  longReader: LongReader
  reader: SqliteReader
  sizes: TableSizes
  cost: ReadCost
  /** How long a transaction may be open; 0: as long as it needs. */
  transactionMs: number
  jobs: SqlJobStore
  imports: ImportPositions
  idempotency: IdempotencyRecords
  backgroundDeletes: BackgroundDeletes
  observer: StatementObserver
}

/** Reads the written row back by its id. */
type EstimatedReadBack = CompiledRead & EstimatedRead

/** A job for the writer, and the read after it if that may be long. */
interface PreparedWrite {
  job: WriteJob
  of: Resource
  readBack: BoundRead | null
  client: string
}

export class SqliteWriter {
  readonly #options: SqliteWriterOptions
  readonly #jobs: WriteJobBuilder
  readonly #readBacks = new WeakMap<CompiledRead, EstimatedReadBack>()

  constructor(options: SqliteWriterOptions) {
    this.#options = options
    this.#jobs = new WriteJobBuilder(options.layout, sqlite, null)
  }

  /** How many statements were compiled so far. */
  get compiled(): number {
    return this.#jobs.compiled
  }

  async write(
    plan: WritePlan,
    values: readonly unknown[],
    viewer: Viewer,
    { idempotencyKey = null, isAsync = false, caller }: WriteOptions,
  ): Promise<PlanResult> {
    const { queue, observer, backgroundDeletes } = this.#options
    const prepared = this.#prepare(plan, values, viewer, caller?.client)
    const job = { ...prepared.job, idempotencyKey, isAsync }
    const written = await observer.traced(plan, null, () => queue.write(job))
    if (isBegunDelete(written)) backgroundDeletes.began(plan.of.name)
    return this.#finish(written, prepared)
  }

  writeAll(
    { writes, places }: WriteBatch,
    values: readonly unknown[],
    viewer: Viewer,
    idempotencyKey: IdempotencyKey | null,
  ): Promise<PlanResult> {
    const placed = writes.map((plan) => ({ plan, values }))
    return this.#writeTogether(placed, places ?? null, idempotencyKey, viewer)
  }

  async writeBulk(
    plan: BulkWrite,
    values: readonly unknown[],
    viewer: Viewer,
    options: WriteOptions,
  ): Promise<PlanResult> {
    const { queue, observer, backgroundDeletes } = this.#options
    const job = this.#jobs.buildBulk(plan, values, options, viewer)
    const written = await observer.traced(plan, null, () => queue.writeBulk(job))
    if (isBegunDelete(written)) backgroundDeletes.began(plan.of.name)
    return written
  }

  transact(
    writes: readonly PlacedWrite[],
    idempotencyKey: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }> {
    const places = writes.map(({ place }) => place)
    return this.#writeTogether(writes, places, idempotencyKey, viewer)
  }

  transaction<T>(work: (inside: OpenTransaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { queue, transactionMs, observer } = this.#options
    const time = new TransactionTime(options.timeoutMs ?? transactionMs)
    return queue.exclusive(async (send) => {
      const apply = untilItEnds(send)
      const run = async (...queries: Query[]) =>
        ((await apply({ kind: 'statements', statements: queries })) as StatementsResult).rows
      const end = (sql: string) => run({ sql, parameters: [] })
      await end('BEGIN IMMEDIATE')
      try {
        const made = await runOpenTransaction(this.#backend(run, apply), time, work)
        await observer.tracedBatch(['COMMIT'], true, () => end('COMMIT'))
        queue.wrote()
        return made
      } catch (error) {
        await send({ kind: 'statements', statements: [{ sql: 'ROLLBACK', parameters: [] }] }).catch(() => {}) // it may have ended
        throw error
      }
    })
  }

  #backend(run: TransactionBackend['query'], apply: ExclusiveRun): TransactionBackend {
    const { reader, cost, layout, jobs, imports, idempotency } = this.#options
    return {
      begin: async () => {}, // it has begun
      query: run,
      runSoon: (...statements) => run(...statements.map((sql) => ({ sql, parameters: [] }))),
      apply: async (job) => (await apply(job)) as AppliedJob,
      lock: async () => {}, // there is one transaction at a time
      readQuery: (plan, values, more, viewer) => reader.queryFor(plan, values, more, viewer),
      toAnswer: toResult,
      buildJob: (plan, values, viewer) => {
        const back = this.#readBackOf(plan)
        if (back !== null) cost.requireShort(back, values)
        const job = this.#jobs.build(plan, values, back, viewer)
        this.#noteSizes(plan.of, job)
        return job
      },
      bindReadBack: (plan, values, viewer) => this.#jobs.bindReadBack(plan, values, viewer),
      buildBatch: (writes, build, viewer) => this.#jobs.buildBatch(writes, build, viewer),
      buildBulk: (plan, values, options, viewer) => this.#jobs.buildBulk(plan, values, options, viewer),
      toWritten: (written) => written,
      types: new StorageTypeNames(layout),
      jobs: jobs.queries,
      imports: imports.queries,
      idempotency: idempotency.queries,
    }
  }

  async #writeTogether(
    writes: readonly { plan: WritePlan; values: readonly unknown[] }[],
    places: readonly string[] | null,
    idempotencyKey: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }> {
    const prepared: PreparedWrite[] = []
    const build = (plan: WritePlan, values: readonly unknown[]) => {
      const one = this.#prepare(plan, values, viewer)
      prepared.push(one)
      return one.job
    }
    const { jobs, readBacks } = this.#jobs.buildBatch(writes, build, viewer)
    const plan: WriteBatch = { kind: 'batch', writes: writes.map((write) => write.plan) }
    const { queue, observer } = this.#options
    const all = prepared.some(({ readBack }) => readBack !== null) ? null : readBacks // they are read later
    const made = await observer.traced(plan, null, () => queue.writeAll(jobs, places, idempotencyKey, all))
    const finished = made.answers.map((written, index) => this.#finish(written, prepared[index]!))
    return { ...made, answers: await Promise.all(finished) }
  }

  #prepare(plan: WritePlan, values: readonly unknown[], viewer: Viewer, client = clientKey(viewer, '')): PreparedWrite {
    const { cost, layout } = this.#options
    const back = this.#readBackOf(plan)
    const long = back !== null && cost.isLong(back, values)
    const answer = long ? compileReadBack(plan.of, [], layout, sqlite) : back
    const job = this.#jobs.build(plan, values, answer, viewer)
    return { job, of: plan.of, readBack: long ? bindRead(back, values, viewer, sqlite) : null, client }
  }

  async #finish(written: Written, { job, of, readBack, client }: PreparedWrite): Promise<PlanResult> {
    if (written.kind !== 'written') return written
    if (written.replayed !== true) this.#noteSizes(of, job)
    return readBack === null ? written : this.#readBack(written, of, readBack, client)
  }

  /** Null for a delete. */
  #readBackOf(plan: WritePlan): EstimatedReadBack | null {
    const compiled = this.#jobs.compileReadBack(plan)
    if (compiled === null) return null
    const known = this.#readBacks.get(compiled)
    if (known !== undefined) return known
    const read = { ...compiled, estimate: estimateReadBack(plan.of, plan.answer) }
    this.#readBacks.set(compiled, read)
    return read
  }

  async #readBack(
    written: PlanResult & { kind: 'written' },
    of: Resource,
    read: BoundRead,
    client: string,
  ): Promise<PlanResult> {
    for (const index of read.idAt) read.parameters[index] = written.id
    try {
      const row = await this.#options.longReader.read(read.sql, read.parameters, client)
      if (row === null) throw new ApiError('NOT_FOUND', 'It was deleted meanwhile.')
      return { ...written, text: row[0] as string }
    } catch (error) {
      throw error instanceof ApiError ? notReadBack(of, error) : error
    }
  }

  #noteSizes(of: Resource, { set, rows: lists }: JobRow): void {
    this.#options.sizes.note(of, lengthOf(set))
    for (const { field, rows } of lists) {
      const made = of.fields.get(field) as ToManyField
      for (const row of rows) this.#noteSizes(made.to, row)
    }
  }
}

/** A failure of the disk ends a transaction. What code that has caught it sends after that would be stored alone, so it fails, too. */
function untilItEnds(send: ExclusiveRun): ExclusiveRun {
  let failure: unknown = null
  return async (job) => {
    if (failure !== null) throw failure
    try {
      return await send(job)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'UNAVAILABLE') failure = error
      throw error
    }
  }
}

/** The approximate size of the values of a write. */
function lengthOf(set: readonly JobField[]): number {
  let length = 0
  for (const { value } of set) {
    if (typeof value === 'string') length += value.length
    else if (typeof value === 'object' && value !== null) length += JSON.stringify(value).length
  }
  return length
}
