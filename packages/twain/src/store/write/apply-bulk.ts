// Applies the same write to many rows, all of them or none.
//
// 1. The engine has found the rows before the transaction. They are locked in the order of their ids, so that two such jobs never
//    wait for each other, and the filter is checked again: a row that changed meanwhile is written only if it still matches.
// 2. All rows are judged by the filter before the first is written: a change of one row can't take another out of the filter.
// 3. A row that may not be written refuses all of them. The error has the filter that leaves such rows out.
// 4. The rules see what the rows before it have changed. A row that the viewer can't read any more is one that may not be written.

import { ApiError, type PlacedFailure, placedError, seededIds } from '#base'
import { fillId } from './access/stored-row.ts'
import type { WriterContext } from './access/writer-context.ts'
import { applyWrite } from './apply-write.ts'
import { otherRowName } from './rules/row-name.ts'
import { WriteRules } from './rules/write-rules.ts'
import type { CascadeBudget } from './rules/write-state.ts'
import {
  all,
  constant,
  evaluateChecks,
  type QueryBatch,
  queryRows,
  runBatch,
  runToEnd,
  type Step,
} from './steps/query-step.ts'
import type { BulkJob, WriteJob, Written, WrittenBulk } from './steps/write-job.ts'

export function* applyBulk(job: BulkJob, context: WriterContext, time: string): Step<QueryBatch<WrittenBulk>> {
  const { write } = job
  const matching = yield* findMatching(job, context)
  const cascade: CascadeBudget = { left: context.maxCascade }
  const newSeed = write.idSeed === null ? null : seededIds(write.idSeed)
  const failed: PlacedFailure[] = []
  let isPending = false
  for (const id of [...matching].sort()) {
    const own: WriteJob = { ...write, id, idSeed: newSeed?.() ?? null }
    try {
      const written: Written = yield* runToEnd(applyWrite(own, context, time, cascade))
      if (written.kind !== 'deleted') continue
      if (written.isPending === true) isPending = true
      if (!written.found) yield* requireGone(write.resource, id, context)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      failed.push({ place: id, error: error.code === 'NOT_FOUND' ? new OutOfSight() : error })
    }
  }
  yield* rejectFailed(failed, matching.length, write, context)
  return constant({ kind: 'bulk', ids: matching, ...(isPending && { isPending }) })
}

/** A delete of an earlier row may have taken the row along. */
function* requireGone(resource: string, id: string, context: WriterContext): Step<void> {
  const [isThere] = yield* runBatch(evaluateChecks([context.table(context.resource(resource)).has(id)]))
  if (isThere!) throw new OutOfSight()
}

/** The viewer may not read the row any more, so no message may have its label. */
class OutOfSight extends ApiError {
  constructor() {
    super('FORBIDDEN', 'You may not read it any more after the rows before it are written.')
  }
}

/** The rows that still match, in the order of the request. */
function* findMatching({ write, ids, match }: BulkJob, context: WriterContext): Step<string[]> {
  if (ids.length === 0) return []
  const table = context.table(context.resource(write.resource))
  const lock = write.action === 'delete' ? 'delete' : 'change'
  const [, [rows]] = yield* runBatch(
    all([queryRows(table.lockRows(ids, lock)), queryRows([fillId(match, JSON.stringify(ids))])]),
  )
  const found = new Set(rows!.map(([id]) => String(id)))
  return ids.filter((id) => found.has(id))
}

/** Denied rows come first: the others are of no use to a viewer who may not write them. */
function* rejectFailed(
  failed: readonly PlacedFailure[],
  count: number,
  { action, checks, viewer, resource }: BulkJob['write'],
  context: WriterContext,
): Step<void> {
  const [first, ...others] = failed
  if (first === undefined) return
  const denied = failed.filter(({ error }) => error.code === 'FORBIDDEN')
  if (denied.length === 0) throw placedError([first, ...others])
  const filter = { id: { notIn: denied.map(({ place }) => place) } }
  const { place, error } = denied[0]!
  const { message, problems } = error
  const of = context.resource(resource)
  const rules = new WriteRules(checks, !viewer.authenticated)
  const name =
    error instanceof OutOfSight ? `${of.name} (id "${place}")` : yield* otherRowName(of, place, { context, rules })
  throw new ApiError(
    'FORBIDDEN',
    `You may not ${action} ${denied.length} of the ${count} ${of.list} that match. The first is the ${name}: ${message}`,
    { hint: `This filter leaves them out: ${JSON.stringify(filter)}`, problems },
  )
}
