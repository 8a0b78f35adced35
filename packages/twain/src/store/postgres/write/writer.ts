// Writes of the PostgreSQL store: plan → job → transaction → result. Writes have their own connections. After each write the
// replicas know that its viewer must not read an older state.

import type { Viewer } from '#base/http'
import type { BulkWrite, PlanResult, WriteBatch, WritePlan } from '#plan'
import type { StatementObserver } from '../../observe/statement-observer.ts'
import { notReadBack, resultTooLarge, toResult } from '../../read/read-result.ts'
import type { IdempotencyRecords } from '../../system/idempotency-records.ts'
import type { ImportPositions } from '../../system/import-positions.ts'
import type { BackgroundDeletes } from '../../system/jobs/background-deletes.ts'
import type { SqlJobStore } from '../../system/jobs/sql-job-store.ts'
import { type Layout, StorageTypeNames } from '../../tables/layout.ts'
import {
  isWanted,
  type OpenTransaction,
  type PlacedWrite,
  type TransactionBackend,
  type TransactionOptions,
  type WriteOptions,
} from '../../write/open-transaction.ts'
import { runOpenTransaction, TransactionTime } from '../../write/run-open-transaction.ts'
import { isBegunDelete, type WriteJob, type Written } from '../../write/steps/write-job.ts'
import { WriteJobBuilder } from '../../write/write-job-builder.ts'
import { postgres } from '../dialect.ts'
import type { PostgresReader } from '../read/reader.ts'
import type { Replicas } from '../read/replicas.ts'
import type { ApplyJob, JobRunner } from './job-runner.ts'
import type { OpenSession } from './run-step.ts'
import { postgresWriteDialect } from './write-dialect.ts'

interface PostgresWriterOptions {
  layout: Layout
  replicas: Replicas | null
  jobRunner: JobRunner
  reader: PostgresReader
  /** How long a transaction may be open; 0: as long as it needs. */
  transactionMs: number
  jobs: SqlJobStore
  imports: ImportPositions
  idempotency: IdempotencyRecords
  backgroundDeletes: BackgroundDeletes
  observer: StatementObserver
  /** Whether the database itself refuses a write whose rules another has made untrue. */
  isSerializable: boolean
}

export class PostgresWriter {
  readonly #options: PostgresWriterOptions
  readonly #jobs: WriteJobBuilder

  constructor(options: PostgresWriterOptions) {
    this.#options = options
    this.#jobs = new WriteJobBuilder(options.layout, postgres, options.isSerializable ? null : postgresWriteDialect)
  }

  write(plan: WritePlan, values: readonly unknown[], viewer: Viewer, options: WriteOptions): Promise<PlanResult> {
    return this.#notingWrite(this.#write(plan, values, viewer, options), viewer)
  }

  writeAll(
    { writes, places }: WriteBatch,
    values: readonly unknown[],
    viewer: Viewer,
    options: WriteOptions,
  ): Promise<PlanResult> {
    const placed = writes.map((plan, index) => ({ place: places?.[index] ?? String(index), plan, values }))
    return this.#notingWrite(this.#writeTogether(placed, options, viewer), viewer)
  }

  writeBulk(plan: BulkWrite, values: readonly unknown[], viewer: Viewer, options: WriteOptions): Promise<PlanResult> {
    return this.#notingWrite(this.#writeBulk(plan, values, viewer, options), viewer)
  }

  transact(
    writes: readonly PlacedWrite[],
    options: WriteOptions,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }> {
    return this.#notingWrite(this.#writeTogether(writes, options, viewer), viewer)
  }

  transaction<T>(
    work: (inside: OpenTransaction) => Promise<T>,
    viewer: Viewer,
    { timeoutMs = this.#options.transactionMs, ...terms }: TransactionOptions = {},
  ): Promise<T> {
    const time = new TransactionTime(timeoutMs)
    const made = this.#options.jobRunner.transaction(
      (open, apply) => runOpenTransaction(this.#backend(open, apply), time, work),
      terms.isSerializable === true ? 'SERIALIZABLE' : undefined,
      terms.isWanted,
    )
    return this.#notingWrite(made, viewer)
  }

  #notingWrite<A>(write: Promise<A>, viewer: Viewer): Promise<A> {
    const { replicas } = this.#options
    return replicas === null ? write : write.finally(() => replicas.wrote(viewer))
  }

  #backend({ connect, run, runLater, lock }: OpenSession, apply: ApplyJob): TransactionBackend {
    const { reader, layout, jobs, imports, idempotency } = this.#options
    return {
      begin: connect,
      query: (...queries) => run(queries),
      runSoon: async (...statements) => statements.forEach(runLater),
      apply,
      lock,
      readQuery: (plan, values, more, viewer) => reader.queryFor(plan, values, more, viewer),
      toAnswer: toResult,
      buildJob: (plan, values, viewer) => this.#job(plan, values, viewer),
      bindReadBack: (plan, values, viewer) => this.#jobs.bindReadBack(plan, values, viewer),
      buildBatch: (writes, build, viewer) => this.#jobs.buildBatch(writes, build, viewer),
      buildBulk: (plan, values, options, viewer) => this.#jobs.buildBulk(plan, values, options, viewer),
      toWritten: readBack,
      types: new StorageTypeNames(layout),
      jobs: jobs.queries,
      imports: imports.queries,
      idempotency: idempotency.queries,
    }
  }

  async #write(
    plan: WritePlan,
    values: readonly unknown[],
    viewer: Viewer,
    options: WriteOptions,
  ): Promise<PlanResult> {
    const { idempotencyKey = null, isAsync = false } = options
    const job = this.#job(plan, values, viewer)
    job.idempotencyKey = idempotencyKey
    job.isAsync = isAsync
    const { jobRunner, observer, backgroundDeletes } = this.#options
    const written = await observer.traced(plan, null, () => jobRunner.write(job, isWanted(options)))
    if (isBegunDelete(written)) backgroundDeletes.began(plan.of.name)
    return readBack(written, plan)
  }

  async #writeBulk(
    plan: BulkWrite,
    values: readonly unknown[],
    viewer: Viewer,
    options: WriteOptions,
  ): Promise<PlanResult> {
    const { jobRunner, observer, backgroundDeletes } = this.#options
    const job = this.#jobs.buildBulk(plan, values, options, viewer)
    const written = await observer.traced(plan, null, () => jobRunner.writeBulk(job, isWanted(options)))
    if (isBegunDelete(written)) backgroundDeletes.began(plan.of.name)
    return written
  }

  async #writeTogether(
    writes: readonly (Omit<PlacedWrite, 'plan'> & { plan: WritePlan })[],
    options: WriteOptions,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }> {
    const { idempotencyKey = null } = options
    const { jobs, readBacks } = this.#jobs.buildBatch(writes, (plan, values) => this.#job(plan, values, viewer), viewer)
    const places = writes.map(({ place }) => place)
    const { jobRunner, observer } = this.#options
    const batch: WriteBatch = { kind: 'batch', writes: writes.map(({ plan }) => plan) }
    const made = await observer.traced(batch, null, () =>
      jobRunner.writeAll({ kind: 'batch', jobs, places, readBacks, idempotencyKey }, isWanted(options)),
    )
    return { ...made, answers: made.answers.map((written, index) => readBack(written, writes[index]!.plan)) }
  }

  #job(plan: WritePlan, values: readonly unknown[], viewer: Viewer): WriteJob {
    return this.#jobs.build(plan, values, this.#jobs.compileReadBack(plan), viewer)
  }
}

/** A NULL text was too long (`Dialect.resultText`). */
function readBack(written: Written, { of }: WritePlan): Written {
  if (written.kind !== 'written' || written.text !== null) return written
  throw notReadBack(of, resultTooLarge())
}
