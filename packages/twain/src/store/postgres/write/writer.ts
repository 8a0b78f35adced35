// Writes of the PostgreSQL store: plan → job → transaction → result. Writes have their own connections. After each write the
// replicas know that its viewer must not read an older state.

import type { IdempotencyKey, Viewer } from '#base/http'
import type { BulkWrite, PlanResult, WriteBatch, WritePlan } from '#plan'
import type { StatementObserver } from '../../observe/statement-observer.ts'
import { notReadBack, resultTooLarge, toResult } from '../../read/read-result.ts'
import type { IdempotencyRecords } from '../../system/idempotency-records.ts'
import type { ImportPositions } from '../../system/import-positions.ts'
import type { BackgroundDeletes } from '../../system/jobs/background-deletes.ts'
import type { SqlJobStore } from '../../system/jobs/sql-job-store.ts'
import { type Layout, StorageTypeNames } from '../../tables/layout.ts'
import {
  type OpenTransaction,
  type PlacedWrite,
  runOpenTransaction,
  type TransactionBackend,
  type TransactionOptions,
  type WriteOptions,
} from '../../write/open-transaction.ts'
import { isBegunDelete, type WriteJob, type Written } from '../../write/steps/write-job.ts'
import { WriteJobBuilder } from '../../write/write-job-builder.ts'
import { postgres } from '../dialect.ts'
import type { PostgresReader } from '../read/reader.ts'
import type { Replicas } from '../read/replicas.ts'
import type { ApplyJob, JobRunner } from './job-runner.ts'
import type { OpenSession } from './run-step.ts'

interface PostgresWriterOptions {
  layout: Layout
  replicas: Replicas | null
  jobRunner: JobRunner
  reader: PostgresReader
  /** How long custom code may keep a transaction open. */
  maxTransactionMs: number
  jobs: SqlJobStore
  imports: ImportPositions
  idempotency: IdempotencyRecords
  backgroundDeletes: BackgroundDeletes
  observer: StatementObserver
}

export class PostgresWriter {
  readonly #options: PostgresWriterOptions
  readonly #jobs: WriteJobBuilder

  constructor(options: PostgresWriterOptions) {
    this.#options = options
    this.#jobs = new WriteJobBuilder(options.layout, postgres)
  }

  write(plan: WritePlan, values: readonly unknown[], viewer: Viewer, options: WriteOptions): Promise<PlanResult> {
    return this.#notingWrite(this.#write(plan, values, viewer, options), viewer)
  }

  writeAll(
    { writes, places }: WriteBatch,
    values: readonly unknown[],
    viewer: Viewer,
    idempotencyKey: IdempotencyKey | null,
  ): Promise<PlanResult> {
    const placed = writes.map((plan, index) => ({ place: places?.[index] ?? String(index), plan, values }))
    return this.#notingWrite(this.#writeTogether(placed, idempotencyKey, viewer), viewer)
  }

  writeBulk(plan: BulkWrite, values: readonly unknown[], viewer: Viewer, options: WriteOptions): Promise<PlanResult> {
    return this.#notingWrite(this.#writeBulk(plan, values, viewer, options), viewer)
  }

  transact(
    writes: readonly PlacedWrite[],
    idempotencyKey: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }> {
    return this.#notingWrite(this.#writeTogether(writes, idempotencyKey, viewer), viewer)
  }

  transaction<T>(
    work: (inside: OpenTransaction) => Promise<T>,
    viewer: Viewer,
    { timeoutMs, isSerializable }: TransactionOptions = {},
  ): Promise<T> {
    const { maxTransactionMs, jobRunner } = this.#options
    const made = jobRunner.transaction(
      (open, apply) => runOpenTransaction(this.#backend(open, apply), timeoutMs ?? maxTransactionMs, work),
      isSerializable === true ? 'SERIALIZABLE' : undefined,
    )
    return this.#notingWrite(made, viewer)
  }

  #notingWrite<A>(write: Promise<A>, viewer: Viewer): Promise<A> {
    const { replicas } = this.#options
    return replicas === null ? write : write.finally(() => replicas.wrote(viewer))
  }

  #backend({ connect, run, lock }: OpenSession, apply: ApplyJob): TransactionBackend {
    const { reader, layout, jobs, imports, idempotency } = this.#options
    return {
      begin: connect,
      query: (...queries) => run(queries),
      apply,
      lock,
      readQuery: (plan, values, more, viewer) => reader.queryFor(plan, values, more, viewer),
      toAnswer: toResult,
      buildJob: (plan, values, viewer) => this.#job(plan, values, viewer),
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
    { idempotencyKey = null, isAsync = false }: WriteOptions,
  ): Promise<PlanResult> {
    const job = this.#job(plan, values, viewer)
    job.idempotencyKey = idempotencyKey
    job.isAsync = isAsync
    const { jobRunner, observer, backgroundDeletes } = this.#options
    const written = await observer.traced(plan, null, () => jobRunner.write(job))
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
    const written = await observer.traced(plan, null, () => jobRunner.writeBulk(job))
    if (isBegunDelete(written)) backgroundDeletes.began(plan.of.name)
    return written
  }

  async #writeTogether(
    writes: readonly (Omit<PlacedWrite, 'plan'> & { plan: WritePlan })[],
    idempotencyKey: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }> {
    const { jobs, readBacks } = this.#jobs.buildBatch(writes, (plan, values) => this.#job(plan, values, viewer), viewer)
    const places = writes.map(({ place }) => place)
    const { jobRunner, observer } = this.#options
    const batch: WriteBatch = { kind: 'batch', writes: writes.map(({ plan }) => plan) }
    const made = await observer.traced(batch, null, () =>
      jobRunner.writeAll({ kind: 'batch', jobs, places, readBacks, idempotencyKey }),
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
