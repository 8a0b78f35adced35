// One write, inside the transaction that the writer holds: rules, rows, links, versions, change log, and the answer read
// back.
//
// 1. A violated reference or unique field is found by looking, by its name, before the row is touched; all at once.
// 2. What changes nothing makes no version and no change.
// 3. A row's version only rises, also when a deleted id comes back.
// 4. A row that the viewer can't read is not there: that is asked first, so that no other answer tells of it.
// 5. Every rule is judged before anything is written, by the lists as they stood: no row vouches for itself.
// 6. It ends with what is left to be asked, and nothing that this gives stands against the write: the COMMIT may go with it.

import type { Resource } from '#model'
import type { StoredRow } from './access/stored-row.ts'
import { fillId } from './access/stored-row.ts'
import type { WriterContext } from './access/writer-context.ts'
import { changeRow } from './rows/change-row.ts'
import { createRow, createRowAt } from './rows/create-row.ts'
import { deleteRow } from './rows/delete-row.ts'
import { replacementFields } from './rows/replacement-fields.ts'
import { requirePreconditions } from './rules/preconditions.ts'
import { accessDenied, rowNotFound, WriteRules } from './rules/write-rules.ts'
import type { WriteOutcome, WriteState } from './rules/write-state.ts'
import {
  all,
  constant,
  evaluateChecks,
  map,
  type QueryBatch,
  queryRows,
  runBatch,
  type Step,
} from './steps/query-step.ts'
import type { WriteJob, Written } from './steps/write-job.ts'

export function* applyWrite(job: WriteJob, context: WriterContext, time: string): Step<QueryBatch<Written>> {
  const { action, viewer, password, set } = job
  const resource = context.resource(job.resource)
  const rules = new WriteRules(job.checks, !viewer.authenticated)
  const state: WriteState = { context, time, viewer, rules, password, transitions: job.transitions }
  if (action === 'create') return readBackRow(job, yield* createRow(resource, job, state, job.id ?? undefined))
  const id = job.id!
  const { found, row, mayUpdate } = yield* loadRow(resource, id, action, state)
  requirePreconditions(job, resource, row, context)
  switch (action) {
    case 'delete':
      if (row === null) return constant({ kind: 'deleted', found: false, id })
      return map(queryRows(yield* deleteRow(resource, row, state)), () => ({ kind: 'deleted', found: true, id }))
    case 'replace': {
      if (row === null) return readBackRow(job, yield* createRowAt(resource, id, set, found, state))
      const whole = yield* runBatch(replacementFields(resource, row, set, state))
      return readBackRow(job, yield* changeRow(resource, row, whole, mayUpdate, state))
    }
    case 'update':
      if (row === null) throw rowNotFound(resource, id)
      return readBackRow(job, yield* changeRow(resource, row, set, mayUpdate, state))
  }
}

interface LoadedRow {
  /** Whether there is a row at all. */
  found: boolean
  /** Null, too, for who can't read it. */
  row: StoredRow | null
  /** Whether the rules let the viewer update it; without that, only a move may be made. */
  mayUpdate: boolean
}

/** The row as it is, for who may do this to it. The rules are judged on the row that the first query holds in its place. */
function* loadRow(
  resource: Resource,
  id: string,
  action: 'replace' | 'update' | 'delete',
  { context, rules, transitions: states }: WriteState,
): Step<LoadedRow> {
  const table = context.table(resource)
  const to = action === 'delete' ? 'delete' : 'change'
  const batch = all([
    queryRows(action === 'replace' ? context.lockId(resource, id) : []),
    queryRows([table.find(id, to)]),
    evaluateChecks([rules.canRead(id), rules.canModify(id)]),
  ])
  const [, [rows], [readable, allowed]] = yield* runBatch(batch)
  const found = table.row(id, rows!)
  if (found === null || !readable) return { found: found !== null, row: null, mayUpdate: false }
  const comesTo = action === 'delete' ? 'delete' : 'update'
  const mayMove = action !== 'delete' && states !== null && states.size > 0
  if (!allowed! && !mayMove) throw accessDenied(comesTo, resource, rules)
  return { found: true, row: found, mayUpdate: allowed! }
}

/** What is left to save goes with the question for the answer. */
function readBackRow(job: WriteJob, { id, created, save }: WriteOutcome): QueryBatch<Written> {
  return map(queryRows([...save, fillId(job.readBack!, id)]), (rows) => {
    const [text, version] = rows.at(-1)![0] as [string, number]
    return { kind: 'written', text, id, version: Number(version), created }
  })
}
