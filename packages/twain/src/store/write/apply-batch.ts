// Several writes inside one transaction: when one is refused all are. What is wrong with each is told at once, with the
// number of the write before its places.

import { applyWrite } from './apply-write.ts'
import { complete, known, type Look, type Step } from './ask.ts'
import { atAllPlaces } from './at-all-places.ts'
import type { BatchJob, WrittenBatch } from './job.ts'
import type { WriterContext } from './writer-context.ts'

export function* applyBatch({ jobs }: BatchJob, context: WriterContext, time: string): Step<Look<WrittenBatch>> {
  const numbered = jobs.map((job, index) => ({ place: String(index), job }))
  const answers = yield* atAllPlaces(numbered, ({ job }) => complete(applyWrite(job, context, time)))
  return known({ kind: 'batch', answers })
}
