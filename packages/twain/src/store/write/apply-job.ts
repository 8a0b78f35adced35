// What is written in one transaction: one write or several, and once if it is said so.

import { applyBatch } from './apply-batch.ts'
import { applyOnce } from './apply-idempotent.ts'
import { applyWrite } from './apply-write.ts'
import type { Look, Step } from './steps/query-step.ts'
import type { BatchJob, WriteJob, Written, WrittenBatch } from './steps/write-job.ts'
import type { WriterContext } from './steps/writer-context.ts'

export function applyJob(job: WriteJob, context: WriterContext, time: string): Step<Look<Written>>
export function applyJob(job: BatchJob, context: WriterContext, time: string): Step<Look<WrittenBatch>>
export function applyJob(
  job: WriteJob | BatchJob,
  context: WriterContext,
  time: string,
): Step<Look<Written | WrittenBatch>>
export function applyJob(
  job: WriteJob | BatchJob,
  context: WriterContext,
  time: string,
): Step<Look<Written | WrittenBatch>> {
  const write = (): Step<Look<Written | WrittenBatch>> =>
    job.kind === 'write' ? applyWrite(job, context, time) : applyBatch(job, context, time)
  return job.once === null ? write() : applyOnce(job.once, write, context, time)
}
