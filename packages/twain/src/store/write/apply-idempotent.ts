// Applies a write with an idempotency key once, however often the client sends it. The result is stored in the transaction
// of the write, so that both exist or neither. A refused write stores nothing and is checked again when it is sent again.

import { type IdempotencyKey, requestInFlight } from '#base/http'
import { findResult, readResult, saveResult } from '../system/idempotency-table.ts'
import type { WriterContext } from './access/writer-context.ts'
import { all, constant, map, type QueryBatch, queryRows, runBatch, runToEnd, type Step } from './steps/query-step.ts'
import type { Written, WrittenBatch } from './steps/write-job.ts'

export function* applyIdempotent<W extends Written | WrittenBatch>(
  idempotencyKey: IdempotencyKey,
  write: () => Step<QueryBatch<W>>,
  context: WriterContext,
  time: string,
): Step<QueryBatch<W>> {
  const find = findResult(idempotencyKey, time, context.query)
  const [[held], [found]] = yield* runBatch(all([queryRows(context.lockKey(idempotencyKey.id)), queryRows([find])]))
  if (held !== undefined && Number(held[0]![0]) === 0) throw requestInFlight()
  const answer = readResult<W>(idempotencyKey, found!)
  if (answer !== null) return constant(answer)
  const made = yield* runToEnd(write())
  return map(queryRows(saveResult(idempotencyKey, made, time, context.query, context.unheld)), () => made)
}
