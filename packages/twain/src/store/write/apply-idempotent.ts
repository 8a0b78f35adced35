// A write that is made once, however often it is sent: its answer is kept in its own transaction, so that either both are
// there or neither is. One that is refused leaves nothing, and is judged anew when it comes again.

import { type IdempotencyKey, requestInFlight } from '#base'
import { findResult, readResult, saveResult } from '../system/idempotency-table.ts'
import type { WriterContext } from './access/writer-context.ts'
import { all, complete, known, type Look, map, rowsOf, type Step, take } from './steps/query-step.ts'
import type { Written, WrittenBatch } from './steps/write-job.ts'

export function* applyOnce<W extends Written | WrittenBatch>(
  once: IdempotencyKey,
  write: () => Step<Look<W>>,
  context: WriterContext,
  time: string,
): Step<Look<W>> {
  const find = findResult(once, time, context.query)
  const [[held], [found]] = yield* take(all([rowsOf(context.holdKey(once.id)), rowsOf([find])]))
  if (held !== undefined && Number(held[0]![0]) === 0) throw requestInFlight()
  const answer = readResult<W>(once, found!)
  if (answer !== null) return known(answer)
  const made = yield* complete(write())
  return map(rowsOf(saveResult(once, made, time, context.query, context.unheld)), () => made)
}
