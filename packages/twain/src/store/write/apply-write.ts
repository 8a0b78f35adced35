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
import { replacement } from './rows/replacement.ts'
import { requireGiven } from './rules/preconditions.ts'
import { mayNot, notThere, Rules } from './rules/rules.ts'
import type { Outcome, Writing } from './rules/write-state.ts'
import { all, known, type Look, map, rowsOf, type Step, settle, take } from './steps/query-step.ts'
import type { WriteJob, Written } from './steps/write-job.ts'

export function* applyWrite(job: WriteJob, context: WriterContext, time: string): Step<Look<Written>> {
  const { action, viewer, password, set } = job
  const resource = context.resource(job.resource)
  const rules = new Rules(job.judge, !viewer.authenticated)
  const writing: Writing = { context, time, viewer, rules, password, states: job.states }
  if (action === 'create') return answer(job, yield* createRow(resource, job, writing, job.id ?? undefined))
  const id = job.id!
  const { found, row, mayUpdate } = yield* lookAt(resource, id, action, writing)
  requireGiven(job, resource, row, context)
  switch (action) {
    case 'delete':
      if (row === null) return known({ kind: 'deleted', found: false, id })
      return map(rowsOf(yield* deleteRow(resource, row, writing)), () => ({ kind: 'deleted', found: true, id }))
    case 'replace': {
      if (row === null) return answer(job, yield* createRowAt(resource, id, set, found, writing))
      const whole = yield* take(replacement(resource, row, set, writing))
      return answer(job, yield* changeRow(resource, row, whole, mayUpdate, writing))
    }
    case 'update':
      if (row === null) throw notThere(resource, id)
      return answer(job, yield* changeRow(resource, row, set, mayUpdate, writing))
  }
}

interface Looked {
  /** Whether there is a row at all. */
  found: boolean
  /** Null, too, for who can't read it. */
  row: StoredRow | null
  /** Whether the rules let the viewer update it; without that, only a move may be made. */
  mayUpdate: boolean
}

/** The row as it is, for who may do this to it. The rules are judged on the row that the first query holds in its place. */
function* lookAt(
  resource: Resource,
  id: string,
  action: 'replace' | 'update' | 'delete',
  { context, rules, states }: Writing,
): Step<Looked> {
  const table = context.table(resource)
  const to = action === 'delete' ? 'delete' : 'change'
  const looks = all([
    rowsOf(action === 'replace' ? context.holdId(resource, id) : []),
    rowsOf([table.find(id, to)]),
    settle([rules.canRead(id), rules.canTouch(id)]),
  ])
  const [, [rows], [readable, allowed]] = yield* take(looks)
  const found = table.row(id, rows!)
  if (found === null || !readable) return { found: found !== null, row: null, mayUpdate: false }
  const comesTo = action === 'delete' ? 'delete' : 'update'
  const mayMove = action !== 'delete' && states !== null && states.size > 0
  if (!allowed! && !mayMove) throw mayNot(comesTo, resource, rules)
  return { found: true, row: found, mayUpdate: allowed! }
}

/** What is left to save goes with the question for the answer. */
function answer(job: WriteJob, { id, created, save }: Outcome): Look<Written> {
  return map(rowsOf([...save, fillId(job.answer!, id)]), (rows) => {
    const [text, version] = rows.at(-1)![0] as [string, number]
    return { kind: 'written', text, id, version: Number(version), created }
  })
}
