// Applies one write inside the writer's transaction: rules, rows, links, versions, change log, and reading the row back.
//
// 1. The writer finds violated references and unique fields by queries, before it touches the row, and reports all of them
//    at once.
// 2. A write without a change makes no version and no change log entry.
// 3. A row's version only rises, also when a deleted id is used again. It can be used again when the change log has lost its
//    delete.
// 4. A row that the viewer can't read counts as missing. This is checked first, so that no other error reveals the row.
// 5. All rules are checked before anything is written, by the lists as they were: no row grants access to itself.
// 6. A write ends with a batch of queries that can't fail the write any more: COMMIT may go with it.

import { ApiError, type Problem, seededIds, uuidv7 } from '#base'
import type { Resource } from '#model'
import { fillId } from './access/stored-row.ts'
import type { WriterContext } from './access/writer-context.ts'
import { requireConfirmedDelete } from './rows/accounts/logins.ts'
import { changeRow } from './rows/change-row.ts'
import { chosenId, createRow, createRowAt, createRowWithId, insertChildren } from './rows/create-row.ts'
import { type DeleteOutcome, deleteRow } from './rows/delete-row.ts'
import { updateRow } from './rows/lists.ts'
import { loadHidden, noDeletedRow } from './rows/load-hidden.ts'
import { loadRow } from './rows/load-row.ts'
import { replacementFields } from './rows/replacement-fields.ts'
import { restoreRow } from './rows/restore-row.ts'
import { versionFields } from './rows/version-fields.ts'
import { requirePreconditions } from './rules/preconditions.ts'
import { rowNotFound, WriteRules } from './rules/write-rules.ts'
import type { CascadeBudget, RowCreation, WriteOutcome, WriteState } from './rules/write-state.ts'
import { constant, map, type QueryBatch, queryRows, runBatch, type Step } from './steps/query-step.ts'
import type { WriteJob, Written } from './steps/write-job.ts'

/** What the steps of a write create rows with. */
export const creation: RowCreation = { createRow, insertChildren }

/** `cascade`: what the writes of a batch share. */
export function* applyWrite(
  job: WriteJob,
  context: WriterContext,
  time: string,
  cascade: CascadeBudget = { left: context.maxCascade },
): Step<QueryBatch<Written>> {
  const { action, viewer, password, confirmation, identity, proof, signUp, set } = job
  const resource = context.resource(job.resource)
  const rules = new WriteRules(job.checks, !viewer.authenticated)
  const state: WriteState = {
    context,
    time,
    newId: job.idSeed === null ? () => uuidv7() : seededIds(job.idSeed),
    viewer,
    creation,
    rules,
    password,
    confirmation,
    identity,
    proof,
    signUp,
    transitions: job.transitions,
    cascade,
    isAsync: job.isAsync,
    isImport: job.isImport,
  }
  if (action === 'create') {
    const id = chosenId(job)
    return readBackRow(
      job,
      yield* id === null ? createRow(resource, job, state, job.id) : createRowWithId(resource, id, job, state),
      context,
    )
  }
  if (action === 'restore' || action === 'purge') return yield* applyToHidden(job, action, resource, state)
  const { found, row, mayUpdate } = yield* loadRow(resource, job, action, state, isLeft(job))
  yield* requirePreconditions(job, resource, row, state)
  switch (action) {
    case 'delete':
      if (row === null) return constant({ kind: 'deleted', found: false, id: job.id ?? '' })
      yield* runBatch(requireConfirmedDelete(resource, row.id, state))
      return deletedRow(row.id, yield* deleteRow(resource, row, state))
    case 'replace': {
      if (row === null) {
        const creating = createRowAt(resource, job.id, set, found, state)
        return readBackRow(job, yield* createMissing(creating, resource, job, found, state), context)
      }
      const whole = yield* runBatch(replacementFields(resource, row, set, state))
      return readBackRow(job, yield* changeRow(resource, row, whole, mayUpdate, state), context)
    }
    case 'upsert': {
      if (row === null) {
        const creating = createRow(resource, job, state, null)
        return readBackRow(job, yield* createMissing(creating, resource, job, found, state), context)
      }
      if (job.update === null) return readBackRow(job, { id: row.id, created: false, save: [] }, context)
      const own = { ...state, password: null, confirmation: null }
      return readBackRow(job, yield* updateRow(resource, row, job.update, mayUpdate, own), context)
    }
    case 'update':
      if (row === null) throw rowNotFound(resource, job)
      if (job.revert !== null) {
        const fields = yield* versionFields(resource, row, job.revert, state)
        return readBackRow(job, yield* changeRow(resource, row, fields, mayUpdate, state), context)
      }
      return readBackRow(job, yield* updateRow(resource, row, job, mayUpdate, state), context)
  }
}

/** Creates the row that was not found by its key. A concurrent write may have created it since: then this write begins again, and
 *  finds it. */
function* createMissing(
  creating: Step<WriteOutcome>,
  resource: Resource,
  { key }: WriteJob,
  found: boolean,
  { context }: WriteState,
): Step<WriteOutcome> {
  try {
    return yield* creating
  } catch (error) {
    if (found || key === null || !(error instanceof ApiError) || error.code !== 'CONFLICT') throw error
    // A conflict of a row that is created along: the row with the key is this write's own.
    if (error.problems.length > 0 && !error.problems.some(isUniqueOfRow)) throw error
    const table = context.table(resource)
    const [rows] = yield* runBatch(queryRows([table.findKey(key, 'change')]))
    throw table.keyedRow(rows!) === null
      ? error
      : new ConcurrentCreate('the row was created meanwhile', { cause: error })
  }
}

function isUniqueOfRow({ code, path }: Problem): boolean {
  return code === 'UNIQUE' && !path.includes('.')
}

/** The store repeats the write, as it does when the database reports a serialization failure. */
class ConcurrentCreate extends Error {
  readonly code = '40001'
}

/** Writes that find hidden rows too. */
function* applyToHidden(
  job: WriteJob,
  action: 'restore' | 'purge',
  resource: Resource,
  state: WriteState,
): Step<QueryBatch<Written>> {
  const { row, trash } = yield* loadHidden(resource, job, state)
  // A list of deleted rows shows their versions without the mark.
  const shown = row && { ...row, version: Math.abs(row.version) }
  if (action === 'restore') {
    if (row === null || trash === null) throw noDeletedRow(resource, job.id)
    yield* requirePreconditions(job, resource, shown, state)
    return readBackRow(job, yield* restoreRow(resource, row, trash, state), state.context)
  }
  yield* requirePreconditions(job, resource, shown, state)
  if (row === null) return constant({ kind: 'deleted', found: false, id: job.id ?? '' })
  yield* runBatch(requireConfirmedDelete(resource, row.id, state))
  return deletedRow(row.id, yield* deleteRow(resource, row, state, true))
}

/** Whether the write leaves a row as it is that is there. */
function isLeft({ action, update }: WriteJob): boolean {
  return action === 'upsert' && update === null
}

function deletedRow(id: string, { save, isPending }: DeleteOutcome): QueryBatch<Written> {
  return map(queryRows(save), () => ({ kind: 'deleted', found: true, id, ...(isPending && { isPending }) }))
}

/** The queries that are still to run go with the one that reads the row back. */
function readBackRow(job: WriteJob, { id, created, save }: WriteOutcome, context: WriterContext): QueryBatch<Written> {
  const readBack = job.readBack!
  const whole = created ? context.table(context.resource(job.resource)).insertAndRead(save, readBack, id) : null
  return map(queryRows(whole === null ? [...save, fillId(readBack, id)] : [whole]), (rows) => {
    const [text, version] = rows.at(-1)![0] as [string, number]
    return { kind: 'written', text, id, version: Number(version), created }
  })
}
