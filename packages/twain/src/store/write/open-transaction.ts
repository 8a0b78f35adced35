// A transaction that stays open while custom code runs in it (hooks). Its reads and writes see each other, nobody else sees
// them, and all are committed or none. `BackendTransaction` implements it for both databases, `runOpenTransaction` bounds its time.

import type { IdempotencyKey, Viewer } from '#base/http'
import type { AuthorizedPlan, BulkWrite, PlanResult, ReadPlan, WritePlan } from '#plan'
import type { ChangeRecord } from '../changes/change-log.ts'
import type { BoundRead } from '../sql/bind.ts'
import type { Query, QueryRows } from '../sql/query.ts'
import type { IdempotencyQueries } from '../system/idempotency-records.ts'
import type { ImportQueries, ImportStep } from '../system/import-positions.ts'
import type { JobQueries } from '../system/jobs/job-queries.ts'
import type { NewJob } from '../system/jobs/job-store.ts'
import type { StorageTypeNames } from '../tables/layout.ts'
import type { AppliedJob, BatchJob, BulkJob, RowsJob, WriteJob, Written } from './steps/write-job.ts'

export interface TransactionOptions {
  /** 0: none. Default: the time of a request. */
  timeoutMs?: number
  /** Whether it must not overwrite what others wrote after it has read it, also if other writes do without that. */
  isSerializable?: boolean
  /** Asked before it begins (`isWanted`). */
  isWanted?: () => boolean
}

export interface OpenTransaction {
  run(plan: AuthorizedPlan, values: readonly unknown[], options: RunOptions, viewer: Viewer): Promise<PlanResult>
  transact(
    writes: readonly PlacedWrite[],
    idempotencyKey: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }>
  /** The result with its rows as they are now, if changes from this number on may have changed them. A row that has gone stays. */
  readBack<A extends PlanResult>(result: A, writes: readonly RunWrite[], fromChange: number, viewer: Viewer): Promise<A>
  /** How many changes it has made so far, without those that were undone. */
  readonly changeCount: number
  /** Returns the changes since the last call, in their order, cascades included. */
  written(): WrittenChange[]
  /** Enqueues a job with this transaction: it exists if the transaction commits. Returns its id. */
  enqueue(job: NewJob): Promise<string>
  readonly hasEnqueued: boolean
  /** How many rows it has written so far, undone ones included. */
  readonly writtenRows: number
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

/** The client that the work is done for, and its connection. */
export interface StoreCaller {
  client: string
  connection?: { readonly destroyed: boolean } | null
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
  caller?: StoreCaller | undefined
}

/** What a single write is run with. */
export interface WriteOptions {
  idempotencyKey?: IdempotencyKey | null | undefined
  isAsync?: boolean
  caller?: StoreCaller | undefined
}

/** Whether a client waits for the outcome, or can ask for it later. */
export function isWanted({ idempotencyKey, isAsync, caller }: WriteOptions): () => boolean {
  if (idempotencyKey || isAsync === true) return () => true
  return () => caller?.connection?.destroyed !== true
}

/** One write of a transaction, with its own values. */
export interface PlacedWrite {
  place: string
  plan: AuthorizedPlan<WritePlan>
  values: readonly unknown[]
}

export interface RunWrite {
  plan: WritePlan
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
  /** Runs statements without rows: at once, or along with the next queries. */
  runSoon(...statements: string[]): Promise<unknown>
  /** Waits for a lock, and holds it until the transaction has ended. */
  lock(name: string): Promise<void>
  /** Applies the job. A write that fails has written nothing. */
  apply(job: RowsJob): Promise<AppliedJob>
  readQuery(plan: AuthorizedPlan<ReadPlan>, values: readonly unknown[], more: boolean, viewer: Viewer): Query
  toAnswer(plan: ReadPlan, row: unknown[] | null): PlanResult
  buildJob(plan: WritePlan, values: readonly unknown[], viewer: Viewer): WriteJob
  /** Null for a delete. */
  bindReadBack(plan: WritePlan, values: readonly unknown[], viewer: Viewer): BoundRead | null
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
