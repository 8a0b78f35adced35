// Applies the job of one transaction: one write or several, with or without an idempotency key.

import { unreachable } from '#base'
import { type IdempotencyKey, requestInFlight } from '#base/http'
import { findResult, readResult, saveResult } from '../system/idempotency-table.ts'
import type { WriterContext } from './access/writer-context.ts'
import { applyBulk } from './apply-bulk.ts'
import { applyWrite, creation } from './apply-write.ts'
import { createRows } from './rows/create-rows.ts'
import { lockKnownRows } from './rows/lock-known-rows.ts'
import { rowNotFound } from './rules/write-rules.ts'
import type { CascadeBudget } from './rules/write-state.ts'
import {
  all,
  collectErrors,
  constant,
  map,
  type QueryBatch,
  queryRows,
  runBatch,
  runToEnd,
  type Step,
} from './steps/query-step.ts'
import type {
  BatchJob,
  BulkJob,
  RowsJob,
  WriteJob,
  Written,
  WrittenBatch,
  WrittenBulk,
  WrittenRows,
} from './steps/write-job.ts'

export function applyJob(job: WriteJob, context: WriterContext, time: string): Step<QueryBatch<Written>>
export function applyJob(job: BatchJob, context: WriterContext, time: string): Step<QueryBatch<WrittenBatch>>
export function applyJob(job: BulkJob, context: WriterContext, time: string): Step<QueryBatch<WrittenBulk>>
export function applyJob(job: RowsJob, context: WriterContext, time: string): Step<QueryBatch<WrittenRows>>
export function applyJob(job: RowsJob, context: WriterContext, time: string): Step<QueryBatch<WrittenRows>> {
  const write = (): Step<QueryBatch<WrittenRows>> => applyRows(job, context, time)
  return job.idempotencyKey === null ? write() : applyIdempotent(job.idempotencyKey, write, context)
}

function applyRows(job: RowsJob, context: WriterContext, time: string): Step<QueryBatch<WrittenRows>> {
  switch (job.kind) {
    case 'write':
      return applyOne(job, context, time)
    case 'batch':
      return applyBatch(job, context, time)
    case 'bulk':
      return applyBulk(job, context, time)
    default:
      return unreachable(job)
  }
}

/** Most writes name one row, which they lock when they load it. */
function applyOne(job: WriteJob, context: WriterContext, time: string): Step<QueryBatch<Written>> {
  const hasLists = job.lists.length > 0 || (job.update?.lists.length ?? 0) > 0
  return hasLists ? applyWithLists(job, context, time) : applyWrite(job, context, time)
}

function* applyWithLists(job: WriteJob, context: WriterContext, time: string): Step<QueryBatch<Written>> {
  yield* runBatch(lockKnownRows([job], context))
  return yield* applyWrite(job, context, time)
}

/** Applies a write with an idempotency key once, however often the client sends it. The result is stored in the transaction
 *  of the write, so that both exist or neither. A refused write stores nothing and is checked again when it is sent again. */
function* applyIdempotent<W extends WrittenRows>(
  idempotencyKey: IdempotencyKey,
  write: () => Step<QueryBatch<W>>,
  context: WriterContext,
): Step<QueryBatch<W>> {
  const find = findResult(idempotencyKey, context.clock, context.query)
  const [[locked], [found]] = yield* runBatch(all([queryRows(context.lockKey(idempotencyKey.id)), queryRows([find])]))
  if (locked !== undefined && Number(locked[0]![0]) === 0) throw requestInFlight()
  const answer = readResult<W>(idempotencyKey, found!)
  if (answer !== null) return constant(answer)
  const made = yield* runToEnd(write())
  return map(queryRows(saveResult(idempotencyKey, made, context.clock, context.query, context.skipLocked)), () => made)
}

/** When one write is refused all are, and the errors of all are reported together, each with the number or name of its write.
 *  A delete of a row that does not exist is an error here. */
function* applyBatch(batch: BatchJob, context: WriterContext, time: string): Step<QueryBatch<WrittenBatch>> {
  const together = yield* createRows(batch, context, time, creation)
  if (together !== null) return constant({ kind: 'batch', answers: together })
  const { jobs, places } = batch
  yield* runBatch(lockKnownRows(jobs, context))
  const placed = jobs.map((job, index) => ({ place: places?.[index] ?? String(index), job }))
  const cascade: CascadeBudget = { left: context.maxCascade }
  const answers = yield* collectErrors(placed, ({ job }) => applyFound(job, context, time, cascade))
  return constant({ kind: 'batch', answers })
}

function* applyFound(job: WriteJob, context: WriterContext, time: string, cascade: CascadeBudget): Step<Written> {
  const written = yield* runToEnd(applyWrite(job, context, time, cascade))
  if (written.kind === 'deleted' && !written.found) throw rowNotFound(context.resource(job.resource), job)
  return written
}
