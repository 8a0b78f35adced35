// The only writer of the SQLite file, in a thread of its own. Pending writes share one transaction, so that one COMMIT and
// one disk sync serve all of them.
//
// 1. No result leaves before COMMIT has returned.
// 2. A failed write rolls back alone. It has usually written nothing yet. Otherwise the thread runs the group again with a
//    savepoint for each write.
// 3. An exclusive job belongs to a transaction that the main thread keeps open (`write/open-transaction.ts`). The main
//    thread begins and ends it by statements and sends nothing else in between.
// 4. If COMMIT fails, nothing of the group is stored. The thread then tries each write in a transaction of its own.

import { parentPort } from 'node:worker_threads'
import { ApiError, CacheBudget, defaultCacheBytes } from '#base'
import { WriterContext } from '../../write/access/writer-context.ts'
import { applyJob } from '../../write/apply-job.ts'
import { deletePortion } from '../../write/delete-portion.ts'
import { referredByUnknown, takenForUnknown } from '../../write/rows/unknown-referrers.ts'
import { runToEnd, withChanges } from '../../write/steps/query-step.ts'
import { type AppliedJob, type Job, jobSubject, type RowsJob, type WriteResult } from '../../write/steps/write-job.ts'
import { sqliteRowImages } from '../changes/row-images.ts'
import { openWriteConnection, SqliteStatements } from '../connect/connect.ts'
import { runStatements, runStep, StatementTimer } from './run-step.ts'
import { sqliteWriteDialect } from './write-dialect.ts'
import type { ExclusiveJob, SlowStatement, WriterData } from './writer-data.ts'

/** SQLITE_NOMEM, SQLITE_IOERR and SQLITE_FULL. */
const resourceErrors = new Set([7, 10, 13])

const SQLITE_CONSTRAINT_FOREIGNKEY = 787
const SQLITE_CONSTRAINT_UNIQUE = 2067

/** The share of `limits.cacheBytes` that this thread may use. */
const cacheShare = 1 / 8

// The modules are loaded while the main thread still migrates the file, and only then knows the layout.
const data = await new Promise<WriterData>((resolve) => parentPort!.once('message', resolve))
const { file, model, layout, cacheBytes = defaultCacheBytes, maxCascade = 0, report } = data
const { slowMs = Number.POSITIVE_INFINITY } = data
const caches = new CacheBudget(cacheBytes * cacheShare)
const reported = new Float64Array(report ?? new SharedArrayBuffer(3 * Float64Array.BYTES_PER_ELEMENT))
const database = openWriteConnection(file)
const statements = new SqliteStatements(database, caches)
/** How many statements may have written so far. */
const writes = { count: 0 }
/** What the running statements belong to. */
let subject = 'commit'
const timer = new StatementTimer(slowMs, (sql, milliseconds) =>
  parentPort!.postMessage({ sql, milliseconds, subject } satisfies SlowStatement),
)
const [versionFloor] = statements
  .get('SELECT version_floor FROM twain_epoch ORDER BY n DESC LIMIT 1')
  .get() as unknown as [number]
const context = new WriterContext(model, layout, sqliteWriteDialect, sqliteRowImages(database), () => versionFloor, {
  caches,
  maxCascade,
})

parentPort!.on('message', (jobs: Job[] | ExclusiveJob | 'close') => {
  if (jobs === 'close') {
    database.close()
    parentPort!.close()
    return
  }
  reported[0] = caches.bytes
  parentPort!.postMessage('exclusive' in jobs ? [runExclusive(jobs.exclusive)] : runGroup(jobs))
})
parentPort!.postMessage('ready')

type RunOne = (job: Job, time: string) => WriteResult

function runGroup(jobs: readonly Job[], runOne: RunOne = runWithoutSavepoint): WriteResult[] {
  try {
    run('BEGIN IMMEDIATE')
    const time = new Date().toISOString()
    const results = jobs.map((job) => runOne(job, time))
    subject = 'commit'
    reported[1] = performance.timeOrigin + performance.now()
    run('COMMIT')
    reported[2] = performance.timeOrigin + performance.now()
    return results
  } catch (error) {
    if (database.isTransaction) run('ROLLBACK')
    if (error instanceof PartialWrite && jobs.length > 1)
      return runGroup(jobs, (job, time) => runInSavepoint(() => perform(job, time)))
    return jobs.length === 1 ? [toFailure(error)] : jobs.flatMap((job) => runGroup([job]))
  }
}

/** A write failed after it had written something, and there is no savepoint to roll back to. */
class PartialWrite extends Error {}

function runWithoutSavepoint(job: Job, time: string): WriteResult {
  const written = writes.count
  try {
    return perform(job, time)
  } catch (error) {
    if (!database.isTransaction) throw error
    if (writes.count !== written) throw new PartialWrite('a write failed after it had written', { cause: error })
    return toFailure(error)
  }
}

function runInSavepoint(work: () => WriteResult): WriteResult {
  run('SAVEPOINT one')
  try {
    const result = work()
    run('RELEASE one')
    return result
  } catch (error) {
    // A disk failure ends the whole transaction, and with it the savepoint.
    if (!database.isTransaction) throw error
    run('ROLLBACK TO one')
    run('RELEASE one')
    return toFailure(error)
  }
}

function runExclusive(job: Job): WriteResult {
  const time = new Date().toISOString()
  try {
    return isRowsJob(job) ? runInSavepoint(() => apply(job, time)) : perform(job, time)
  } catch (error) {
    return toFailure(error)
  }
}

function perform(job: Job, time: string): WriteResult {
  subject = jobSubject(job)
  switch (job.kind) {
    case 'write':
    case 'batch':
    case 'bulk':
      return runStep(runToEnd(applyJob(job, context, time)), statements, writes, timer)
    case 'portion':
      return runStep(runToEnd(deletePortion(job.root, context, time)), statements, writes, timer)
    case 'statements':
      writes.count++
      return { kind: 'done', rows: runStatements(job, statements, timer) }
  }
}

function isRowsJob(job: Job): job is RowsJob {
  return job.kind === 'write' || job.kind === 'batch' || job.kind === 'bulk'
}

function apply(job: RowsJob, time: string): AppliedJob {
  subject = jobSubject(job)
  const step = withChanges(runToEnd(applyJob(job, context, time)))
  return { kind: 'applied', ...runStep(step, statements, writes, timer) }
}

function run(sql: string): void {
  timer.time(sql, () => statements.get(sql).run())
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
    const { code, message, hint, problems, headers, place } = error
    return { kind: 'apiError', code, message, hint, problems, headers, place }
  }
  const { message, stack, errcode = 0 } = error as Error & { errcode?: number }
  return { kind: 'error', message, stack, isResourceError: resourceErrors.has(errcode & 0xff) } // the low byte of an extended code
}
