// The only writer of a SQLite file: it runs in the writer thread. Pending writes share one transaction, so that one COMMIT and
// one disk sync serve all of them.
//
// 1. No result leaves before COMMIT has returned.
// 2. A failed write rolls back alone. It has usually written nothing yet. Otherwise the thread runs the group again with a
//    savepoint for each write.
// 3. An exclusive job belongs to a transaction that the main thread keeps open (`write/open-transaction.ts`). The main
//    thread begins and ends it by statements and sends nothing else in between.
// 4. If COMMIT fails, nothing of the group is stored. The thread then tries each write in a transaction of its own.

import type { DatabaseSync } from 'node:sqlite'
import { ApiError, CacheBudget, defaultCacheBytes, formatDateTime } from '#base'
import { monotonicTime, wallTime } from '#base/time'
import { storageFailure } from '../../observe/storage-failures.ts'
import { wallClock } from '../../store-clock.ts'
import { WriterContext } from '../../write/access/writer-context.ts'
import { applyJob } from '../../write/apply-job.ts'
import { deletePortion } from '../../write/delete-portion.ts'
import { referredByUnknown, takenForUnknown } from '../../write/rows/unknown-referrers.ts'
import { runToEnd, withChanges } from '../../write/steps/query-step.ts'
import { type AppliedJob, type Job, jobSubject, type RowsJob, type WriteResult } from '../../write/steps/write-job.ts'
import { sqliteRowImages } from '../changes/row-images.ts'
import { sharedClock } from '../clock/sqlite-clock.ts'
import { openWriteConnection, SqliteStatements } from '../connect/connect.ts'
import { type PackedBatch, type PackedResult, packResult, unpackBatch } from './pack-batch.ts'
import { runStatements, runStep, StatementTimer } from './run-step.ts'
import { sqliteWriteDialect } from './write-dialect.ts'
import { type ExclusiveJob, type ReportedStatement, threadReportLength, type WriterData } from './writer-data.ts'

/** SQLITE_NOMEM, SQLITE_IOERR and SQLITE_FULL. */
const resourceErrors = new Set([7, 10, 13])

const SQLITE_CONSTRAINT_FOREIGNKEY = 787
const SQLITE_CONSTRAINT_UNIQUE = 2067

/** The share of `limits.cacheBytes` that this thread may use. */
const cacheShare = 1 / 8

type RunOne = (job: Job, time: string) => WriteResult

/** A write failed after it had written something, and there is no savepoint to roll back to. */
class PartialWrite extends Error {}

export class FileWriter {
  readonly #database: DatabaseSync
  readonly #statements: SqliteStatements
  readonly #context: WriterContext
  readonly #caches: CacheBudget
  readonly #timer: StatementTimer
  readonly #reported: Float64Array
  /** How many statements may have written so far. */
  readonly #writes = { count: 0 }
  /** What the running statements belong to. */
  #subject = 'commit'

  constructor(data: WriterData, reportSlow: (statement: ReportedStatement) => void) {
    const { file, model, layout, cacheBytes = defaultCacheBytes, maxCascade = 0, walBytes, report, clock } = data
    const { slowMs = Number.POSITIVE_INFINITY } = data
    this.#caches = new CacheBudget(cacheBytes * cacheShare)
    this.#reported = new Float64Array(
      report ?? new SharedArrayBuffer(threadReportLength * Float64Array.BYTES_PER_ELEMENT),
    )
    this.#database = openWriteConnection(file, walBytes)
    this.#statements = new SqliteStatements(this.#database, this.#caches)
    this.#timer = new StatementTimer(slowMs, (sql, milliseconds) =>
      reportSlow({
        sql,
        milliseconds,
        subject: this.#subject,
        ...(this.#timer.recording !== undefined && { recording: this.#timer.recording }),
      }),
    )
    const [versionFloor] = this.#statements
      .get('SELECT version_floor FROM twain_epoch ORDER BY n DESC LIMIT 1')
      .get() as unknown as [number]
    this.#context = new WriterContext(
      model,
      layout,
      sqliteWriteDialect,
      sqliteRowImages(this.#database),
      () => versionFloor,
      {
        caches: this.#caches,
        clock: clock === undefined ? wallClock : sharedClock(new Float64Array(clock)),
        maxCascade,
      },
    )
  }

  run(jobs: (Job | PackedBatch)[] | ExclusiveJob): (WriteResult | PackedResult)[] {
    this.#reported[0] = this.#caches.bytes
    const results =
      'exclusive' in jobs ? [this.#runExclusive(unpackBatch(jobs.exclusive))] : this.#runGroup(jobs.map(unpackBatch))
    return results.map(packResult)
  }

  close(): void {
    this.#database.close()
  }

  #runGroup(jobs: readonly Job[], runOne: RunOne = (job, time) => this.#runWithoutSavepoint(job, time)): WriteResult[] {
    try {
      this.#run('BEGIN IMMEDIATE')
      const time = formatDateTime(wallTime())
      const results = jobs.map((job) => runOne(job, time))
      this.#subject = 'commit'
      this.#timer.recording = jobs.length === 1 ? jobs[0]!.recording : undefined
      this.#reported[1] = performance.timeOrigin + monotonicTime()
      this.#run('COMMIT')
      this.#reported[2] = performance.timeOrigin + monotonicTime()
      return results
    } catch (error) {
      if (this.#database.isTransaction) this.#run('ROLLBACK')
      if (error instanceof PartialWrite && jobs.length > 1)
        return this.#runGroup(jobs, (job, time) => this.#runInSavepoint(() => this.#perform(job, time)))
      return jobs.length === 1 ? [toFailure(error)] : jobs.flatMap((job) => this.#runGroup([job]))
    }
  }

  #runWithoutSavepoint(job: Job, time: string): WriteResult {
    const written = this.#writes.count
    try {
      return this.#perform(job, time)
    } catch (error) {
      if (!this.#database.isTransaction) throw error
      if (this.#writes.count !== written)
        throw new PartialWrite('a write failed after it had written', { cause: error })
      return toFailure(error)
    }
  }

  #runInSavepoint(work: () => WriteResult): WriteResult {
    this.#run('SAVEPOINT one')
    try {
      const result = work()
      this.#run('RELEASE one')
      return result
    } catch (error) {
      // A disk failure ends the whole transaction, and with it the savepoint.
      if (!this.#database.isTransaction) throw error
      this.#run('ROLLBACK TO one')
      this.#run('RELEASE one')
      return toFailure(error)
    }
  }

  #runExclusive(job: Job): WriteResult {
    const time = formatDateTime(wallTime())
    try {
      return isRowsJob(job) ? this.#runInSavepoint(() => this.#apply(job, time)) : this.#perform(job, time)
    } catch (error) {
      return toFailure(error)
    }
  }

  #perform(job: Job, time: string): WriteResult {
    this.#begin(job)
    switch (job.kind) {
      case 'write':
      case 'batch':
      case 'bulk':
        return runStep(runToEnd(applyJob(job, this.#context, time)), this.#statements, this.#writes, this.#timer)
      case 'portion':
        return runStep(
          runToEnd(deletePortion(job.root, this.#context, time)),
          this.#statements,
          this.#writes,
          this.#timer,
        )
      case 'statements':
        this.#writes.count++
        return { kind: 'done', rows: runStatements(job, this.#statements, this.#timer) }
    }
  }

  #apply(job: RowsJob, time: string): AppliedJob {
    this.#begin(job)
    const step = withChanges(runToEnd(applyJob(job, this.#context, time)))
    return { kind: 'applied', ...runStep(step, this.#statements, this.#writes, this.#timer) }
  }

  #begin(job: Job): void {
    this.#subject = jobSubject(job)
    this.#timer.recording = job.recording
  }

  #run(sql: string): void {
    this.#timer.time(sql, () => this.#statements.get(sql).run())
  }
}

function isRowsJob(job: Job): job is RowsJob {
  return job.kind === 'write' || job.kind === 'batch' || job.kind === 'bulk'
}

/** A constraint that the served schema does not know refuses the write: the writer checks all others itself. */
function ofUnknownConstraint(error: unknown): unknown {
  switch ((error as { errcode?: number }).errcode) {
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return referredByUnknown('The row', undefined, error)
    case SQLITE_CONSTRAINT_UNIQUE:
      return takenForUnknown(error)
    default:
      return error
  }
}

function toFailure(thrown: unknown): WriteResult {
  const error = ofUnknownConstraint(thrown instanceof PartialWrite ? thrown.cause : thrown)
  if (error instanceof ApiError) {
    const { code, message, hint, problems, headers, place, deniedRight } = error
    return { kind: 'apiError', code, message, hint, problems, headers, place, deniedRight }
  }
  const { message, stack, errcode = 0 } = error as Error & { errcode?: number }
  const isResourceError = resourceErrors.has(errcode & 0xff) // the low byte of an extended code
  return { kind: 'error', message, stack, isResourceError, failure: storageFailure(error) }
}
