// The one writer, in a thread of its own. All writes that wait are one transaction with a savepoint for each: one of them
// that is refused undoes itself alone, and one COMMIT, one wait for the disk, serves them all.
//
// 1. No answer leaves before COMMIT has returned.
// 2. If COMMIT fails nothing of the group has happened: each write is then tried in a transaction of its own.

import { parentPort, workerData } from 'node:worker_threads'
import { Fault } from '#base'
import type { Model } from '#model'
import type { Layout } from '../../layout.ts'
import { openWriting, Statements } from '../connection.ts'
import { applyBatch } from './apply-batch.ts'
import { applyWrite } from './apply-write.ts'
import type { Job, WriteResult } from './job.ts'
import { runStatements } from './run-statements.ts'
import { WriterContext } from './writer-context.ts'

export interface WriterData {
  file: string
  model: Model
  layout: Layout
}

/** SQLITE_NOMEM, SQLITE_IOERR and SQLITE_FULL. */
const scarcities = new Set([7, 10, 13])

const { file, model, layout } = workerData as WriterData
const database = openWriting(file)
const statements = new Statements(database)
const context = new WriterContext(model, layout, statements)

parentPort!.on('message', (jobs: Job[] | 'close') => {
  if (jobs === 'close') {
    database.close()
    parentPort!.close()
    return
  }
  parentPort!.postMessage(runGroup(jobs))
})
parentPort!.postMessage('ready')

function runGroup(jobs: readonly Job[]): WriteResult[] {
  try {
    run('BEGIN IMMEDIATE')
    const time = new Date().toISOString()
    const results = jobs.map((job) => runOne(job, time))
    run('COMMIT')
    return results
  } catch (error) {
    if (database.isTransaction) run('ROLLBACK')
    return jobs.length === 1 ? [failure(error)] : jobs.flatMap((job) => runGroup([job]))
  }
}

function runOne(job: Job, time: string): WriteResult {
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
    return failure(error)
  }
}

function perform(job: Job, time: string): WriteResult {
  switch (job.kind) {
    case 'write':
      return applyWrite(job, context, time)
    case 'batch':
      return applyBatch(job, context, time)
    case 'statements':
      return runStatements(job, statements)
  }
}

function run(sql: string): void {
  statements.get(sql).run()
}

function failure(error: unknown): WriteResult {
  if (error instanceof Fault) {
    const { code, message, hint, problems, headers } = error
    return { kind: 'fault', code, message, hint, problems, headers }
  }
  const { message, stack, errcode = 0 } = error as Error & { errcode?: number }
  return { kind: 'error', message, stack, scarce: scarcities.has(errcode & 0xff) } // the low byte of an extended code
}
