// Takes a delete back (`soft-delete.ts`): the row and those that went along are visible again, with new versions, and the log has
// them as new rows, so that every reader that had removed them puts them back.

import { ApiError, type Problem } from '#base'
import type { ReferenceField, Resource } from '#model'
import { containsEnum, unknownEnumValues } from '#plan'
import type { SqlValue } from '../../sql/encode.ts'
import type { Query } from '../../sql/query.ts'
import { deleteDeletion, findDeletion, type KeptParts, type TrashEntry, trashEntry } from '../../system/trash-table.ts'
import { isHidden, type StoredRow } from '../access/stored-row.ts'
import { columnNames } from '../access/table-access.ts'
import type { WriterContext } from '../access/writer-context.ts'
import { WriteRules } from '../rules/write-rules.ts'
import type { WriteOutcome, WriteState } from '../rules/write-state.ts'
import { all, evaluateChecks, inChunks, type QueryBatch, queryRows, runBatch, type Step } from '../steps/query-step.ts'
import { findLoginConflict, requireOwnToken, restoreLogin } from './accounts/logins.ts'
import { conflictError, findUniqueConflicts } from './conflicts.ts'
import { type FoundRow, keyOf, loadRows } from './find-cascade.ts'
import { saveChange } from './save-change.ts'

interface RestoredRow extends FoundRow {
  kept: KeptParts | null
  /** Columns of optional references to rows that are gone meanwhile. */
  changed: Map<string, SqlValue>
}

/** `row` is hidden, and the viewer may restore it. */
export function* restoreRow(
  resource: Resource,
  row: StoredRow,
  { deletion, isRoot }: TrashEntry,
  state: WriteState,
): Step<WriteOutcome> {
  if (!isRoot) throw wentAlong(resource)
  const rows = yield* findRestored(resource, deletion, state.context)
  const problems: Problem[] = []
  for (const some of inChunks(rows)) {
    for (const one of some) problems.push(...unfitFields(one, one === rows[0], state.context))
    yield* clearDangling(some, rows, problems, state.context)
    yield* runBatch(all(some.map((one) => findConflicts(one, one.resource === resource, problems, state))))
  }
  if (problems.length > 0) throw conflictError(problems)
  let save: Query[] = [deleteDeletion(deletion, state.context.query)]
  for (const some of inChunks(rows)) {
    yield* runBatch(queryRows(save))
    save = some.flatMap((one) => show(one, state))
  }
  yield* runBatch(queryRows(save))
  const cleared = rows.flatMap(({ kept }) => kept?.cleared ?? [])
  return { id: row.id, created: false, save: yield* referAgain(cleared, state) }
}

function wentAlong({ name }: Resource): ApiError {
  const message = 'It was deleted together with the row that it belongs to.'
  return new ApiError('CONFLICT', `The ${name} can't be restored by itself: ${message}`, {
    hint: 'Restore that row: this one comes back with it.',
    problems: [{ path: '', code: 'REFERENCE', message }],
  })
}

/** The rows of the deletion, locked. */
function* findRestored(resource: Resource, deletion: string, context: WriterContext): Step<RestoredRow[]> {
  const [found] = yield [findDeletion(deletion, context.query)]
  const entries = found!.map(trashEntry)
  const types = new Map(entries.map(({ type }) => [type, context.knownResource(type)]))
  if ([...types.values()].includes(null)) throw unknownType(resource)
  const keys = entries.map(({ type, id }) => ({ resource: types.get(type)!, id }))
  const rows = yield* loadRows(keys, 'delete', context)
  return rows.map((one, index) => ({ ...one, kept: entries[index]!.kept, changed: new Map() }))
}

function unknownType({ name }: Resource): ApiError {
  const message = 'A row that was deleted with it is of a type that this version of the schema does not know.'
  return new ApiError('CONFLICT', `The ${name} can't be restored: ${message}`, {
    hint: 'Restore it through the version of the schema that has the type.',
    problems: [{ path: '', code: 'REFERENCE', message }],
  })
}

/** Fields that became required while the row was deleted, and enum values that the schema has lost since, or not yet. Of rows that
 *  went along the problem names no field. */
function unfitFields({ resource, row }: RestoredRow, isOwn: boolean, context: WriterContext): Problem[] {
  const table = context.table(resource)
  return [...table.columns].flatMap(([field, column]): Problem[] => {
    const { name } = field
    const path = isOwn ? name : ''
    const along = `A ${resource.name} that was deleted with it`
    if (field.required && row.values.get(column.name) === null) {
      const message = isOwn
        ? 'is required since the row was deleted, and the row has no value.'
        : `${along} has no ${name}, which is required now.`
      return [{ path, code: 'REQUIRED', message }]
    }
    if (field.kind !== 'stored' || !containsEnum(field.type)) return []
    const unknown = unknownEnumValues(field.type, table.decode(field, row))
    return [...unknown].map((value) => {
      const lost = `a value that this version of the schema does not have: ${value}.`
      return { path, code: 'TYPE', message: isOwn ? `has ${lost}` : `${along} has in ${name} ${lost}` }
    })
  })
}

/** References to rows that were deleted meanwhile: an optional one becomes null, a required one is a problem. */
function* clearDangling(
  some: readonly RestoredRow[],
  all: readonly RestoredRow[],
  problems: Problem[],
  context: WriterContext,
): Step<void> {
  const restored = new Set(all.map(({ resource, row }) => keyOf(resource, row.id)))
  const references = some.flatMap((one) => {
    const table = context.table(one.resource)
    return [...table.columns.keys()].flatMap((field) => {
      const target = field.kind === 'reference' ? table.target(field, one.row) : null
      if (target === null || restored.has(keyOf(context.resource(target.type), target.id))) return []
      return [{ one, field: field as ReferenceField, target }]
    })
  })
  const queries = references.map(({ target }) => context.table(context.resource(target.type)).has(target.id))
  const there = yield* runBatch(evaluateChecks(queries))
  for (const [index, { one, field, target }] of references.entries()) {
    if (there[index]!) continue
    if (field.required) {
      const message = `The ${target.type} that ${one.resource.name}.${field.name} refers to is deleted.`
      problems.push({ path: one === all[0] ? field.name : '', code: 'REFERENCE', message })
    }
    for (const column of columnNames(context.table(one.resource).columns.get(field)!)) one.changed.set(column, null)
  }
}

/** Other rows may have taken unique values meanwhile. Of rows that went along the problem names no field: the viewer may not be able to
 *  read it. */
function findConflicts(
  { resource, row }: RestoredRow,
  isOwn: boolean,
  problems: Problem[],
  state: WriteState,
): QueryBatch<void> {
  const { context, rules } = state
  const found: Problem[] = []
  const { queries, read } = all([
    findUniqueConflicts(resource, row, null, context, isOwn ? rules : WriteRules.unrestricted, found),
    findLoginConflict(resource, row, state, found),
  ])
  return {
    queries,
    read(rows) {
      read(rows)
      const message = `A unique value of a ${resource.name} that was deleted with it is taken.`
      if (isOwn) problems.push(...found)
      else if (found.length > 0) problems.push({ path: '', code: 'UNIQUE', message })
    },
  }
}

function show({ resource, row, kept, changed }: RestoredRow, state: WriteState): Query[] {
  requireOwnToken(resource, state)
  const { context, time, viewer } = state
  const { by, via, trace } = viewer
  const version = context.nextVersion(-row.version)
  const entry = { kind: 'created', version, time, by, via, trace, before: null, links: null } as const
  return [
    ...context.lockLists(resource, [row]),
    ...context.table(resource).restore(row, changed, entry),
    ...restoreLogin(resource, row, kept, context),
  ]
}

/** References to the rows that their delete had cleared, where they are still null. */
function* referAgain(cleared: NonNullable<KeptParts['cleared']>, state: WriteState): Step<Query[]> {
  const { context } = state
  let save: Query[] = []
  for (const { type, id, columns } of cleared) {
    const resource = context.knownResource(type)
    if (resource === null) continue
    const table = context.table(resource)
    const names = Object.keys(columns)
    const [, [found]] = yield* runBatch(all([queryRows(save), queryRows([table.find(id, 'change')])]))
    save = []
    const row = table.storedRow(id, found!)
    if (row === null || isHidden(row) || names.some((name) => row.values.get(name) !== null)) continue
    const changed = new Map<string, SqlValue>(Object.entries(columns))
    const next = { ...row, values: new Map([...row.values, ...changed]) }
    const taken: Problem[] = []
    yield* runBatch(findUniqueConflicts(resource, next, changed, context, WriteRules.unrestricted, taken))
    if (taken.length > 0) continue
    save = [...context.lockLists(resource, [next]), ...saveChange(resource, row, changed, [], state)]
  }
  return save
}
