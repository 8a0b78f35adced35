// Writes of the rows of a row's lists, along with the row (`_tags: {connect, disconnect, create, update, delete}`).
//
// 1. Each is a write of its own: the rules of its row are checked by what the writes before it have left, as in a batch. So
//    nested writes allow nothing that several requests would not.
// 2. Rows that a many-to-many list creates come first, then the row itself with its links, then list by list: disconnect,
//    delete, connect, update, create.
// 3. A row that is not in the list, or that the viewer can't read, is a conflict at its place.

import { ApiError } from '#base'
import { type LinksField, type ListField, listMember, type Resource, type ToManyField } from '#model'
import type { Query } from '../../sql/query.ts'
import type { StoredRow } from '../access/stored-row.ts'
import { denyAccess } from '../rules/deny-access.ts'
import { checkRow, forbidFields, rowNotFound, WriteRules } from '../rules/write-rules.ts'
import { childState, type WriteOutcome, type WriteState } from '../rules/write-state.ts'
import { all, collectErrors, evaluateChecks, queryRows, runBatch, type Step } from '../steps/query-step.ts'
import type { JobField, JobList, JobRow } from '../steps/write-job.ts'
import { changeRow } from './change-row.ts'
import { parentReference } from './default-children.ts'
import { deleteRow } from './delete-row.ts'
import { notInListMessage } from './links.ts'
import { loadRow } from './load-row.ts'

/** Changes a row and the rows of its lists. */
export function* updateRow(
  resource: Resource,
  row: StoredRow,
  { set, lists }: Pick<JobRow, 'set' | 'lists'>,
  mayUpdate: boolean,
  state: WriteState,
): Step<WriteOutcome> {
  if (lists.length === 0) return yield* changeRow(resource, row, set, mayUpdate, state)
  const { id } = row
  if (!mayUpdate) yield* denyAccess('update', resource, row, state)
  const allowed = yield* runBatch(evaluateChecks(lists.map(({ checks }) => checkRow(checks?.list, id))))
  forbidFields(lists.filter((_, index) => !allowed[index]).map(({ field }) => listMember({ name: field })))
  const linked = yield* createLinked(resource, lists, state)
  const current = linked.length === 0 ? row : yield* reloadRow(resource, id, state)
  const { save } = yield* changeRow(resource, current, [...set, ...linked], mayUpdate, state)
  return { id, created: false, save: yield* writeLists(resource, id, lists, save, state) }
}

/** A new row may have changed this one, by a list of its own. */
function* reloadRow(resource: Resource, id: string, { context }: WriteState): Step<StoredRow> {
  const table = context.table(resource)
  const [rows] = yield [table.find(id, 'change')]
  const row = table.row(id, rows!)
  if (row === null) throw rowNotFound(resource, { id })
  return row
}

/** Creates the rows of many-to-many lists, and returns the links to them. */
export function* createLinked(owner: Resource, lists: readonly JobList[], state: WriteState): Step<JobField[]> {
  const linked: JobField[] = []
  for (const { field, create, checks } of lists) {
    const { kind, to } = owner.fields.get(field) as ListField
    if (kind !== 'links' || create.length === 0) continue
    const own = childState(state, new WriteRules(checks?.create ?? null, !state.viewer.authenticated))
    const rows = create.map((row, index) => ({ row, place: `${listMember({ name: field })}.create.${index}` }))
    const ids = yield* collectErrors(rows, function* ({ row }) {
      const { id, save } = yield* state.creation.createRow(to as Resource, row, own, null)
      yield* runBatch(queryRows(save))
      return id
    })
    linked.push({ field, value: ids, merge: false, change: 'created' })
  }
  return linked
}

/** Writes the rows of the lists, after the pending queries of the row itself. Returns the queries that are still to run. */
export function* writeLists(
  owner: Resource,
  id: string,
  lists: readonly JobList[],
  save: readonly Query[],
  state: WriteState,
): Step<Query[]> {
  let left = [...save]
  for (const list of lists) {
    const field = owner.fields.get(list.field) as ListField
    yield* collectErrors(placedWrites(list), function* (write) {
      yield* runBatch(queryRows(left))
      left = []
      left = yield* writeListed(write, field, id, list, state)
    })
    if (field.kind === 'links' || list.create.length === 0) continue
    const place = `${listMember(field)}.create`
    const rows = { field: field.name, place, checks: list.checks?.create ?? null, rows: list.create }
    left = yield* state.creation.insertChildren(owner, id, [rows], left, state)
  }
  if (!lists.some(deletesRows)) return left
  yield* requireKept(owner, id, left, state)
  return []
}

function deletesRows(list: JobList): boolean {
  const rows = [...list.update, ...list.create]
  return list.delete.length > 0 || rows.some((row) => row.lists.some(deletesRows))
}

/** A delete of a row in a list may cascade to the row that has the list. Then there is no row to answer with. */
function* requireKept(resource: Resource, id: string, save: readonly Query[], { context }: WriteState): Step<void> {
  const [, [isKept]] = yield* runBatch(all([queryRows(save), evaluateChecks([context.table(resource).has(id)])]))
  if (isKept!) return
  throw new ApiError('CONFLICT', `The write would delete the ${resource.name} itself, along with a row of its list.`, {
    hint: `Delete the ${resource.name} on its own.`,
  })
}

/** A write of one row that exists. */
interface ListedWrite {
  kind: 'disconnect' | 'delete' | 'connect' | 'update'
  id: string
  place: string
  change: JobList['update'][number] | null
}

/** In the order in which they are made. */
function placedWrites(list: JobList): ListedWrite[] {
  const place = listMember({ name: list.field })
  const byId = (kind: 'disconnect' | 'delete' | 'connect') =>
    list[kind].map((id, index) => ({ kind, id, place: `${place}.${kind}.${index}`, change: null }))
  return [
    ...byId('disconnect'),
    ...byId('delete'),
    ...byId('connect'),
    ...list.update.map((change, index) => ({
      kind: 'update' as const,
      id: change.id,
      place: `${place}.update.${index}`,
      change,
    })),
  ]
}

function* writeListed(
  { kind, id, change }: ListedWrite,
  field: ListField,
  owner: string,
  { checks }: JobList,
  state: WriteState,
): Step<Query[]> {
  const to = field.to as Resource
  const action = kind === 'delete' ? 'delete' : 'update'
  const rules = new WriteRules(checks?.[action] ?? null, !state.viewer.authenticated)
  const transitions = state.transitions === null ? null : (change?.transitions ?? new Map())
  const own: WriteState = { ...childState(state, rules), transitions }
  const { row, mayUpdate } = yield* loadRow(to, { id, key: null }, action, own)
  if (kind === 'connect' && row === null) throw missingRow(`There is no ${to.name} with the id "${id}".`)
  if (row === null || (kind !== 'connect' && !(yield* isListed(row, field, owner, own)))) {
    throw missingRow(notInListMessage(to.name, id, field.name))
  }
  if (kind === 'delete') return (yield* deleteRow(to, row, own)).save
  if (change !== null) return (yield* updateRow(to, row, change, mayUpdate, own)).save
  const back = parentReference(field as ToManyField, { type: field.owner.name, id: owner })
  const set = [kind === 'connect' ? back : { ...back, value: null }]
  return (yield* changeRow(to, row, set, mayUpdate, own)).save
}

/** Whether the row is in the list, as far as the viewer can see. */
function isListed(row: StoredRow, field: ListField, owner: string, state: WriteState): Step<boolean> {
  return field.kind === 'links' ? isLinked(row, field, owner, state) : isReferring(row, field, owner, state)
}

function* isReferring({ id, ...row }: StoredRow, field: ToManyField, owner: string, state: WriteState): Step<boolean> {
  const { context, rules } = state
  const target = context.table(field.to).target(field.via, { id, ...row })
  const [isShown] = yield* runBatch(evaluateChecks([rules.canReadField(field.via.name, id)]))
  return isShown! && target?.id === owner && target.type === field.owner.name
}

function* isLinked({ id }: StoredRow, field: LinksField, owner: string, { context }: WriteState): Step<boolean> {
  const [rows] = yield* runBatch(queryRows([context.links(field).linked(owner)]))
  return context
    .links(field)
    .targets(rows!)
    .some((target) => target.id === id)
}

function missingRow(message: string): ApiError {
  return new ApiError('CONFLICT', message, { problems: [{ path: '', code: 'REFERENCE', message }] })
}
