// Deletes a row. First it finds every row that CASCADE deletes (`find-cascade.ts`). Then each other reference to these rows either forbids the
// delete (RESTRICT) or is cleared (SET_NULL), also those that only another version of the schema has
// (`unknown-referrers.ts`). So the order of deletes does not matter, and nothing is half done.

import { ApiError } from '#base'
import type { Resource } from '#model'
import type { Query } from '../../sql/query.ts'
import { isHidden, type StoredRow } from '../access/stored-row.ts'
import { columnNames } from '../access/table-access.ts'
import { previousValues, type UnknownReferrer } from '../access/unknown-references.ts'
import { otherRowName, rowName } from '../rules/row-name.ts'
import type { WriteState } from '../rules/write-state.ts'
import { evaluateChecks, inChunks, inLockOrder, queryRows, runBatch, type Step } from '../steps/query-step.ts'
import { requireOwnToken } from './accounts/logins.ts'
import {
  type Cascade,
  type FoundRow,
  findCascade,
  keyOf,
  loadRows,
  type Referrer,
  rejectCascade,
} from './find-cascade.ts'
import { cascadeTypes, endRow, hideRow, judgeBackground, purgeRow } from './hide-row.ts'
import { saveChange } from './save-change.ts'
import { hideFound } from './soft-delete.ts'
import { clearUnknown, rejectUnknown } from './unknown-referrers.ts'

export interface DeleteOutcome {
  /** The queries that are still to run. */
  save: Query[]
  /** Whether the row is hidden, and the rest goes in the background. */
  isPending: boolean
}

/** `isFinal`: not even `@softDelete` keeps the row. */
export function* deleteRow(
  resource: Resource,
  row: StoredRow,
  state: WriteState,
  isFinal = false,
): Step<DeleteOutcome> {
  const isSoft = resource.softDelete !== undefined && !isFinal
  const cascade = yield* findCascade(resource, row, state.context, state.cascade, isSoft)
  if (cascade.isOver && state.isAsync && !isSoft) return yield* deleteInBackground(resource, row, state)
  const { others, strangers } = referrersOf(cascade)
  yield* rejectRestricted(resource, row, others, state)
  yield* rejectUnknown(resource, row, strangers, state)
  if (cascade.isOver) yield* rejectCascade(resource, row, state, isSoft)
  if (!isSoft) return { save: yield* deleteFound(cascade, state), isPending: false }
  yield* clearReferrers(cascade, state)
  return { save: yield* hideFound(resource, cascade, others, state), isPending: false }
}

function* deleteInBackground(resource: Resource, row: StoredRow, state: WriteState): Step<DeleteOutcome> {
  // The portions do not know any more that somebody acted.
  for (const type of cascadeTypes(resource, state.context)) requireOwnToken(type, state)
  const verdict = yield* judgeBackground(resource, row.id, state.context)
  if (verdict.kind === 'restricted') yield* rejectRestricted(resource, row, verdict.by, state)
  if (verdict.kind !== 'allowed') yield* rejectCascade(resource, row, state)
  return { save: hideRow(resource, row, state), isPending: true }
}

/** The references to deleted rows that stay behind. */
function referrersOf({ deleted, referrers, unknown }: Cascade): { others: Referrer[]; strangers: UnknownReferrer[] } {
  return {
    others: referrers.filter(({ field, id }) => !deleted.has(keyOf(field.owner, id))),
    strangers: unknown.filter(({ reference: { owner }, id }) => owner === null || !deleted.has(keyOf(owner, id))),
  }
}

/** Deletes what was found. Returns the queries that are still to run. */
export function* deleteFound(cascade: Cascade, state: WriteState): Step<Query[]> {
  yield* clearReferrers(cascade, state)
  return yield* removeRows([...cascade.deleted.values()], state)
}

/** Clears the references of rows that stay. */
function* clearReferrers(cascade: Cascade, state: WriteState): Step<void> {
  const { others, strangers } = referrersOf(cascade)
  yield* clearReferences(others, strangers, state)
  yield* clearUnknown(
    strangers.filter(({ reference }) => reference.owner === null),
    state,
  )
}

/** Deletes rows that nothing else refers to. Returns the queries that are still to run. */
export function* removeRows(rows: readonly FoundRow[], state: WriteState): Step<Query[]> {
  let save: Query[] = []
  for (const some of inChunks(rows)) {
    yield* runBatch(queryRows(save))
    save = some.flatMap((one) => remove(one, state))
  }
  return save
}

function remove({ resource, row }: FoundRow, state: WriteState): Query[] {
  if (isHidden(row)) return purgeRow(resource, row.id, state)
  return endRow(resource, row, 'delete', state)
}

/** Names the restricting fields for which the viewer can read at least one row, and one such row, but no numbers of rows. */
function* rejectRestricted(
  resource: Resource,
  row: StoredRow,
  others: readonly Referrer[],
  state: WriteState,
): Step<void> {
  const restricting = others.filter(({ field }) => field.onDelete === 'RESTRICT')
  if (restricting.length === 0) return
  const byField = Map.groupBy(restricting, ({ field }) => field)
  const messages: string[] = []
  for (const [{ owner, name }, rows] of byField) {
    const checks = rows.slice(0, maxCheckedReferrers).map(({ id }) => state.rules.canReadReferrer(owner.name, name, id))
    const shown = yield* runBatch(evaluateChecks(checks))
    const first = rows[shown.indexOf(true)]
    if (first === undefined) continue
    const example = yield* otherRowName(owner, first.id, state)
    messages.push(`${owner.list} refer to it with "${name}", such as the ${example}.`)
  }
  const isSeen = messages.length > 0
  if (messages.length < byField.size) messages.push('Something that you may not read refers to it.')
  throw new ApiError(
    'CONFLICT',
    `The ${yield* rowName(resource, row, state)} can't be deleted: ${messages.join(' ')}`,
    {
      hint: isSeen
        ? 'Delete or change those first, or set @relation(onDelete: CASCADE) in the schema.'
        : 'Only a viewer who may change the referrers rows can make this delete possible.',
      problems: messages.map((message) => ({ path: '', code: 'REFERENCE', message })),
    },
  )
}

/** A million unreadable rows must not block the writer. */
const maxCheckedReferrers = 100

/** The columns of references of one row that are cleared. */
interface ClearedRow {
  resource: Resource
  id: string
  columns: string[]
  /** The values of columns that the schema does not know. */
  unknown: [column: string, value: string][]
}

/** A row may refer by several fields: that is one change of it. Rows of unknown types are left to `clearUnknown`. */
export function* clearReferences(
  others: readonly Referrer[],
  strangers: readonly UnknownReferrer[],
  state: WriteState,
): Step<void> {
  const { context } = state
  const cleared = new Map<string, ClearedRow>()
  const clearedRow = (resource: Resource, id: string): ClearedRow => {
    const key = keyOf(resource, id)
    const row = cleared.get(key) ?? { resource, id, columns: [], unknown: [] }
    cleared.set(key, row)
    return row
  }
  for (const { field, id } of others) {
    const { columns } = context.table(field.owner)
    clearedRow(field.owner, id).columns.push(...columnNames(columns.get(field)!))
  }
  for (const referrer of strangers) {
    const { owner } = referrer.reference
    if (owner !== null) clearedRow(owner, referrer.id).unknown.push(...previousValues(referrer))
  }
  for (const some of inChunks([...cleared.values()])) {
    const rows = yield* loadRows(some, 'change', context)
    const lists = rows.flatMap(({ resource, row }) => context.lockLists(resource, [row]))
    yield [...inLockOrder(lists), ...rows.flatMap((one, index) => clear(one, some[index]!, state))]
  }
}

function clear({ resource, row }: FoundRow, { columns, unknown }: ClearedRow, state: WriteState): Query[] {
  for (const [column, value] of unknown) row.values.set(column, value)
  const changed = [...columns, ...unknown.map(([column]) => column)]
  if (isHidden(row)) return [state.context.table(resource).clearHidden(row.id, changed)]
  return saveChange(resource, row, new Map(changed.map((column) => [column, null])), [], state)
}
