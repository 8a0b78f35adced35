// The one writer, in a thread of its own. All writes that wait are one transaction: one COMMIT, one wait for the disk,
// serves them all.
//
// 1. No answer leaves before COMMIT has returned.
// 2. A write that is refused undoes itself alone. Nearly always it has written nothing by then, so there is nothing to undo;
//    if it has, the group is run once more with a savepoint for each.
// 3. What comes alone is of a transaction that the main thread holds open (`store/inside.ts`): it begins and ends it by
//    statements, and sends nothing else between.
// 4. If COMMIT fails nothing of the group has happened: each write is then tried in a transaction of its own.

import { parentPort, workerData } from 'node:worker_threads'
import { ApiError } from '#base'
import type { Model } from '#model'
import type { Layout } from '../../tables/layout.ts'
import { WriterContext } from '../../write/access/writer-context.ts'
import { applyJob } from '../../write/apply-job.ts'
import { runToEnd } from '../../write/steps/query-step.ts'
import type { Job, WriteResult } from '../../write/steps/write-job.ts'
import { openWriteConnection, SqliteStatements } from '../connect/connect.ts'
import { runStatements, runStep } from './run-step.ts'
import { sqliteWriteDialect } from './write-dialect.ts'

export interface WriterData {
  file: string
  model: Model
  layout: Layout
}

/** See 3. */
export interface ExclusiveJob {
  exclusive: Job
}

/** SQLITE_NOMEM, SQLITE_IOERR and SQLITE_FULL. */
const resourceErrors = new Set([7, 10, 13])

const { file, model, layout } = workerData as WriterData
const database = openWriteConnection(file)
const statements = new SqliteStatements(database)
/** Statements that may have written, so far. */
const writes = { count: 0 }
const context = new WriterContext(model, layout, sqliteWriteDialect)

parentPort!.on('message', (jobs: Job[] | ExclusiveJob | 'close') => {
  if (jobs === 'close') {
    database.close()
    parentPort!.close()
    return
  }
  parentPort!.postMessage('exclusive' in jobs ? [runExclusive(jobs.exclusive)] : runGroup(jobs))
})
parentPort!.postMessage('ready')

type RunOne = (job: Job, time: string) => WriteResult

function runGroup(jobs: readonly Job[], runOne: RunOne = runWithoutSavepoint): WriteResult[] {
  try {
    run('BEGIN IMMEDIATE')
    const time = new Date().toISOString()
    const results = jobs.map((job) => runOne(job, time))
    run('COMMIT')
    return results
  } catch (error) {
    if (database.isTransaction) run('ROLLBACK')
    if (error instanceof PartialWrite && jobs.length > 1) return runGroup(jobs, runInSavepoint)
    return jobs.length === 1 ? [toFailure(error)] : jobs.flatMap((job) => runGroup([job]))
  }
}

/** A write failed when it had written already: what it wrote must go, and there is no savepoint to go back to. */
class PartialWrite extends Error {}

function runWithoutSavepoint(job: Job, time: string): WriteResult {
  const written = writes.count
  try {
    return perform(job, time)
  } catch (error) {
    if (!database.isTransaction) throw error
    if (writes.count !== written) throw new PartialWrite('a write failed in its middle', { cause: error })
    return toFailure(error)
  }
}

function runInSavepoint(job: Job, time: string): WriteResult {
  run('SAVEPOINT one')
  try {
    const result = perform(job, time)
    run('RELEASE one')
    return result
  } catch (error) {
    // A failure of the disk ends the whole transaction: then there is no savepoint left to go back to.
    if (!database.isTransaction) throw error
    run('ROLLBACK TO one')
    run('RELEASE one')
    return toFailure(error)
  }
}

function runExclusive(job: Job): WriteResult {
  const time = new Date().toISOString()
  try {
    return job.kind === 'statements' ? perform(job, time) : runInSavepoint(job, time)
  } catch (error) {
    return toFailure(error)
  }
}

function perform(job: Job, time: string): WriteResult {
  switch (job.kind) {
    case 'write':
    case 'batch':
      return runStep(runToEnd(applyJob(job, context, time)), statements, writes)
    case 'statements':
      writes.count++
      return { kind: 'done', rows: runStatements(job, statements) }
  }
}

function run(sql: string): void {
  statements.get(sql).run()
}

function toFailure(thrown: unknown): WriteResult {
  const error = thrown instanceof PartialWrite ? thrown.cause : thrown
  if (error instanceof ApiError) {
    const { code, message, hint, problems, headers } = error
    return { kind: 'fault', code, message, hint, problems, headers }
  }
  const { message, stack, errcode = 0 } = error as Error & { errcode?: number }
  return { kind: 'error', message, stack, scarce: resourceErrors.has(errcode & 0xff) } // the low byte of an extended code
}
