// A process for long reads. `node:sqlite` can't be interrupted, not even by ending a thread, but a process can be killed.

import { Worker } from 'node:worker_threads'
import { ApiError } from '#base'
import { storageFailure } from '../../observe/storage-failures.ts'
import { maxResultBytes } from '../../read/read-result.ts'
import { viewAlias } from '../../views/view-source.ts'
import { addViewSums } from '../aggregates/view-sums.ts'
import { isResultTooLarge, openReadConnection, SqliteStatements } from '../connect/connect.ts'
import { clearFunctionError, requireNoFunctionError } from '../connect/function-error.ts'
import type { LongRead, LongReadFailure, LongReadResult, ReaderReady } from './long-reader.ts'

const [, , file, server] = process.argv
new Worker(new URL('./long-reader-guard.ts', import.meta.url), { workerData: Number(server) }).unref()
const statements = new SqliteStatements(openReadConnection(file!, maxResultBytes))
let viewStatements: SqliteStatements | null = null

process.on('message', ({ sql, parameters }: LongRead) => {
  process.send!(read(sql, parameters))
})
process.send!('ready' satisfies ReaderReady, undefined, undefined, () => {}) // the server may have ended meanwhile

process.on('disconnect', () => process.exit(0))
// Ctrl-C reaches the whole process group; the server decides when this process ends.
process.on('SIGINT', () => {})

function read(sql: string, parameters: LongRead['parameters']): LongReadResult {
  try {
    clearFunctionError()
    const row = statementsFor(sql)
      .get(sql)
      .get(...parameters) as unknown as unknown[] | undefined
    if (row === undefined) requireNoFunctionError()
    return { row: row ?? null }
  } catch (error) {
    return { error: (error as Error).message, reason: reasonOf(error) }
  }
}

/** Views have a connection whose sums are exact: those of Twain's own statements are SQLite's, which are faster. */
function statementsFor(sql: string): SqliteStatements {
  if (!sql.includes(viewAlias)) return statements
  if (viewStatements === null) {
    const database = openReadConnection(file!, maxResultBytes)
    addViewSums(database)
    viewStatements = new SqliteStatements(database)
  }
  return viewStatements
}

/** The functions of aggregates throw one error that a request can cause. */
function reasonOf(error: unknown): LongReadFailure['reason'] {
  if (error instanceof ApiError) return 'sum out of range'
  if (isResultTooLarge(error)) return 'result too large'
  return storageFailure(error)
}
