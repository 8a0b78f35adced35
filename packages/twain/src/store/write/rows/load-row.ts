// Loads the row that a write changes or deletes, if the viewer may do this to it.

import type { Resource } from '#model'
import type { StoredRow } from '../access/stored-row.ts'
import { accessDenied } from '../rules/write-rules.ts'
import type { WriteState } from '../rules/write-state.ts'
import { all, evaluateChecks, queryRows, runBatch, type Step } from '../steps/query-step.ts'
import { refreshUnknown } from './unknown-referrers.ts'

export interface LoadedRow {
  /** Whether the row exists. */
  found: boolean
  /** Null also if the viewer can't read it. */
  row: StoredRow | null
  /** Whether the viewer may update it; otherwise only a transition is allowed. */
  mayUpdate: boolean
}

/** Loads the row if the viewer may do this to it. The rules check the row that the first query locks. */
export function* loadRow(
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
    queryRows(action === 'delete' ? context.unknown.askServed() : []),
  ])
  const [, [rows], [readable, allowed], served] = yield* runBatch(batch)
  if (action === 'delete') yield* refreshUnknown(context, served)
  const found = table.row(id, rows!)
  if (found === null || !readable) return { found: found !== null, row: null, mayUpdate: false }
  const comesTo = action === 'delete' ? 'delete' : 'update'
  const mayTransition = action !== 'delete' && states !== null && states.size > 0
  if (!allowed! && !mayTransition) throw accessDenied(comesTo, resource, rules)
  return { found: true, row: found, mayUpdate: allowed! }
}
