// Loads the row that a write changes or deletes, if the viewer may do this to it.

import type { ReferenceField, Resource, StoredField } from '#model'
import type { StoredRow } from '../access/stored-row.ts'
import { denyAccess } from '../rules/deny-access.ts'
import type { WriteState } from '../rules/write-state.ts'
import { all, type Check, evaluateChecks, queryRows, runBatch, type Step } from '../steps/query-step.ts'
import type { JobKey, WriteJob } from '../steps/write-job.ts'
import { canSeeTarget } from './references.ts'
import { refreshUnknown } from './unknown-referrers.ts'

export interface LoadedRow {
  /** Whether the row exists. */
  found: boolean
  /** Null also if the viewer can't read it. */
  row: StoredRow | null
  /** Whether the viewer may update it; otherwise only a transition is allowed. */
  mayUpdate: boolean
}

type Action = 'replace' | 'upsert' | 'update' | 'delete'

/** Loads the row by its id or its key. `isLeft`: the write does not change it, so that the viewer must only be able to read it. */
export function loadRow(
  resource: Resource,
  { id, key }: Pick<WriteJob, 'id' | 'key'>,
  action: Action,
  state: WriteState,
  isLeft = false,
): Step<LoadedRow> {
  return key === null ? loadById(resource, id!, action, state) : loadByKey(resource, key, action, state, isLeft)
}

/** The rules check the row that the first query locks. */
function* loadById(resource: Resource, id: string, action: Action, state: WriteState): Step<LoadedRow> {
  const { context, rules } = state
  const table = context.table(resource)
  const batch = all([
    queryRows(action === 'replace' ? context.lockId(resource, id) : []),
    queryRows([table.find(id, lockFor(action))]),
    evaluateChecks([rules.canRead(id), rules.canModify(id)]),
    queryRows(action === 'delete' ? context.unknown.askServed() : []),
  ])
  const [, [rows], [readable, allowed], served] = yield* runBatch(batch)
  if (action === 'delete') yield* refreshUnknown(context, served)
  return yield* judge(resource, table.row(id, rows!), readable!, allowed!, action, state)
}

/** The rules need the id, which the first query finds. A viewer who can't read a field of the key can't find the row by it: to them
 *  the row does not exist. */
function* loadByKey(
  resource: Resource,
  key: JobKey,
  action: Action,
  state: WriteState,
  isLeft: boolean,
): Step<LoadedRow> {
  const { context, rules } = state
  const table = context.table(resource)
  const find = all([
    queryRows(mayCreate(action) ? context.lockRowKey(resource, key) : []),
    queryRows([table.findKey(key, lockFor(action))]),
    queryRows(action === 'delete' ? context.unknown.askServed() : []),
  ])
  const [, [rows], served] = yield* runBatch(find)
  if (action === 'delete') yield* refreshUnknown(context, served)
  const row = table.keyedRow(rows!)
  if (row === null) return { found: false, row: null, mayUpdate: false }
  const checks: Check[] = [isLeft || rules.canModify(row.id), rules.canRead(row.id)]
  for (const name of key.fields) {
    const field = resource.fields.get(name) as StoredField | ReferenceField
    checks.push(rules.canReadField(name, row.id))
    if (field.kind === 'reference') checks.push(canSeeTarget(field, row, state))
  }
  const [allowed, ...readable] = yield* runBatch(evaluateChecks(checks))
  return yield* judge(resource, row, readable.every(Boolean), allowed!, action, state)
}

function* judge(
  resource: Resource,
  found: StoredRow | null,
  readable: boolean,
  allowed: boolean,
  action: Action,
  state: WriteState,
): Step<LoadedRow> {
  if (found === null || !readable) return { found: found !== null, row: null, mayUpdate: false }
  const { transitions } = state
  const mayTransition = action !== 'delete' && transitions !== null && transitions.size > 0
  if (!allowed && !mayTransition) yield* denyAccess(action === 'delete' ? 'delete' : 'update', resource, found, state)
  return { found: true, row: found, mayUpdate: allowed }
}

function lockFor(action: Action): 'change' | 'delete' {
  return action === 'delete' ? 'delete' : 'change'
}

function mayCreate(action: Action): boolean {
  return action === 'replace' || action === 'upsert'
}
