// Several writes inside one transaction: when one is refused all are. What is wrong with each is told at once, with the
// number or name of the write before its places. A delete of what is not there is refused too: it would not do what it says.

import { applyWrite } from './apply-write.ts'
import { notThere } from './rules/not-found.ts'
import { atAllPlaces } from './steps/collect-errors.ts'
import { complete, known, type Look, type Step } from './steps/query-step.ts'
import type { BatchJob, WriteJob, Written, WrittenBatch } from './steps/write-job.ts'
import type { WriterContext } from './steps/writer-context.ts'

export function* applyBatch(
  { jobs, places }: BatchJob,
  context: WriterContext,
  time: string,
): Step<Look<WrittenBatch>> {
  const placed = jobs.map((job, index) => ({ place: places?.[index] ?? String(index), job }))
  const answers = yield* atAllPlaces(placed, ({ job }) => applyFound(job, context, time))
  return known({ kind: 'batch', answers })
}

function* applyFound(job: WriteJob, context: WriterContext, time: string): Step<Written> {
  const written = yield* complete(applyWrite(job, context, time))
  if (written.kind === 'deleted' && !written.found) throw notThere(context.resource(job.resource), written.id)
  return written
}
