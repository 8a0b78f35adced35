// Runs the jobs of writes (`store/write`), each in a transaction.

import { ApiError, type CacheBudget, formatDateTime, validationError } from '#base'
import type { Model } from '#model'
import type { StoreClock } from '../../store-clock.ts'
import type { BackgroundDelete } from '../../system/jobs/background-deletes.ts'
import { requiredIndexes } from '../../tables/indexes.ts'
import type { Layout } from '../../tables/layout.ts'
import { columnNames } from '../../write/access/table-access.ts'
import { WriterContext } from '../../write/access/writer-context.ts'
import { applyJob } from '../../write/apply-job.ts'
import { deletePortion } from '../../write/delete-portion.ts'
import { type QueryBatch, runToEnd, type Step, withChanges } from '../../write/steps/query-step.ts'
import {
  type AppliedJob,
  type BatchJob,
  type BulkJob,
  type DeletedPortion,
  type Job,
  jobSubject,
  type RowsJob,
  type WriteJob,
  type Written,
  type WrittenBatch,
  type WrittenBulk,
} from '../../write/steps/write-job.ts'
import { postgresRowImages } from '../changes/row-images.ts'
import { errorCode } from '../connect/database-errors.ts'
import { postgresIndexName } from '../migrate/indexes.ts'
import { type Isolation, type OpenSession, runStep } from './run-step.ts'
import type { CommitTrace, Transactions } from './transactions.ts'
import { postgresWriteDialect } from './write-dialect.ts'

/** Applies a write in the open transaction; a write that fails has written nothing. */
export type ApplyJob = (job: RowsJob) => Promise<AppliedJob>

export class JobRunner {
  readonly #transactions: Transactions
  readonly #model: Model
  readonly #layout: Layout
  readonly #context: WriterContext
  readonly #onCommit: () => void

  /** `onCommit` is called after each commit. */
  constructor(
    transactions: Transactions,
    model: Model,
    layout: Layout,
    wrote: () => void,
    options: { caches: CacheBudget; clock: StoreClock; maxCascade: number },
  ) {
    this.#onCommit = wrote
    this.#transactions = transactions
    this.#model = model
    this.#layout = layout
    this.#context = new WriterContext(
      model,
      layout,
      postgresWriteDialect,
      postgresRowImages,
      () => transactions.versionFloor,
      options,
    )
  }

  write(job: WriteJob, isWanted?: () => boolean): Promise<Written> {
    const needed = job.readBack === null || job.idempotencyKey !== null ? 'none' : 'last'
    return this.#run((time) => applyJob(job, this.#context, time), job, needed, isWanted)
  }

  /** Applies several writes: all of them or none. */
  writeAll(job: BatchJob, isWanted?: () => boolean): Promise<WrittenBatch> {
    return this.#run((time) => applyJob(job, this.#context, time), job, 'none', isWanted)
  }

  /** Applies the same write to several rows: all of them or none. */
  writeBulk(job: BulkJob, isWanted?: () => boolean): Promise<WrittenBulk> {
    return this.#run((time) => applyJob(job, this.#context, time), job, 'none', isWanted)
  }

  deletePortion(root: BackgroundDelete): Promise<DeletedPortion> {
    return this.#run((time) => deletePortion(root, this.#context, time), { kind: 'portion', root }, 'none')
  }

  /** Keeps a transaction open while `work` runs. Its isolation is that of all writes, unless it needs another. */
  transaction<T>(
    work: (open: OpenSession, apply: ApplyJob) => Promise<T>,
    isolation: Isolation | undefined,
    isWanted: (() => boolean) | undefined,
  ): Promise<T> {
    return this.#traced((trace) =>
      this.#transactions.runOpen(
        (open) => {
          const time = trace.begin()
          return work(open, async (job) => {
            const { result: written, changes } = await inSavepoint(open, () =>
              runStep(withChanges(runToEnd(applyJob(job, this.#context, time))), open.write),
            )
            return { kind: 'applied', result: written, changes }
          })
        },
        trace.of('none'),
        isolation,
        isWanted,
      ),
    )
  }

  /** `isWanted`: whether it may still begin. */
  #run<T>(
    start: (time: string) => Step<QueryBatch<T>>,
    job: Job,
    needed: 'last' | 'none',
    isWanted?: () => boolean,
  ): Promise<T> {
    const subject = jobSubject(job)
    return this.#traced((trace) =>
      this.#transactions.runStep(() => start(trace.begin()), subject, trace.of(needed), isWanted),
    )
  }

  async #traced<T>(
    make: (trace: { begin(): string; of(needed: CommitTrace['needed']): CommitTrace }) => Promise<T>,
  ): Promise<T> {
    let time = ''
    const begin = () => {
      time = formatDateTime(this.#context.clock.now())
      return time
    }
    try {
      const made = await make({ begin, of: (needed) => ({ needed, time: () => time }) })
      this.#onCommit()
      return made
    } catch (error) {
      throw errorCode(error) === '54000' ? indexEntryTooLong(error, this.#model, this.#layout) : error
    }
  }
}

/** A refused write has written nothing. After another error the transaction is lost; `Transactions` may repeat it. */
async function inSavepoint<T>({ runLater }: OpenSession, work: () => Promise<T>): Promise<T> {
  runLater('SAVEPOINT one')
  try {
    const made = await work()
    runLater('RELEASE one')
    return made
  } catch (error) {
    if (error instanceof ApiError) {
      runLater('ROLLBACK TO one')
      runLater('RELEASE one')
    }
    throw error
  }
}

/** Converts error 54000 of the server, which names the index: its entries have at most some 2,700 bytes. Twain checks texts
 *  before (`maxIndexedBytes`); this is for indexes of an operator, and for long texts of an earlier build. */
function indexEntryTooLong(error: unknown, model: Model, layout: Layout): ApiError {
  const { constraint_name: called } = error as { constraint_name?: string }
  const index = requiredIndexes(model, layout).find((wanted) => postgresIndexName(wanted) === called)
  const table = [...layout.tables.values()].find(({ name }) => name === index?.table)
  const fields = [...(table?.columns ?? [])]
    .filter(([, column]) => columnNames(column).some((one) => index!.columns.includes(one)))
    .map(([field]) => field.name)
  return validationError(
    (fields.length > 0 ? fields : ['']).map((path) => ({
      path,
      code: 'LENGTH',
      message: 'is too long to be indexed: at most some 2,700 bytes.',
    })),
  )
}
