// Applies the job of one transaction: one write or several, with or without an idempotency key.

import type { WriterContext } from './access/writer-context.ts'
import { applyIdempotent } from './apply-idempotent.ts'
import { applyWrite } from './apply-write.ts'
import { rowNotFound } from './rules/write-rules.ts'
import { collectErrors } from './steps/collect-errors.ts'
import { constant, type QueryBatch, runToEnd, type Step } from './steps/query-step.ts'
import type { BatchJob, WriteJob, Written, WrittenBatch } from './steps/write-job.ts'

export function applyJob(job: WriteJob, context: WriterContext, time: string): Step<QueryBatch<Written>>
export function applyJob(job: BatchJob, context: WriterContext, time: string): Step<QueryBatch<WrittenBatch>>
export function applyJob(
  job: WriteJob | BatchJob,
  context: WriterContext,
  time: string,
): Step<QueryBatch<Written | WrittenBatch>>
export function applyJob(
  job: WriteJob | BatchJob,
  context: WriterContext,
  time: string,
): Step<QueryBatch<Written | WrittenBatch>> {
  const write = (): Step<QueryBatch<Written | WrittenBatch>> =>
    job.kind === 'write' ? applyWrite(job, context, time) : applyBatch(job, context, time)
  return job.idempotencyKey === null ? write() : applyIdempotent(job.idempotencyKey, write, context, time)
}

/** When one write is refused all are, and the errors of all are reported together, each with the number or name of its write.
 *  A delete of a row that does not exist is an error here. */
function* applyBatch({ jobs, places }: BatchJob, context: WriterContext, time: string): Step<QueryBatch<WrittenBatch>> {
  const placed = jobs.map((job, index) => ({ place: places?.[index] ?? String(index), job }))
  const answers = yield* collectErrors(placed, ({ job }) => applyFound(job, context, time))
  return constant({ kind: 'batch', answers })
}

function* applyFound(job: WriteJob, context: WriterContext, time: string): Step<Written> {
  const written = yield* runToEnd(applyWrite(job, context, time))
  if (written.kind === 'deleted' && !written.found) throw rowNotFound(context.resource(job.resource), written.id)
  return written
}
