// Loads a row of a type with `@softDelete` that may be hidden, if the viewer may delete it: who may, may restore it and delete it
// for good. To everybody else a hidden row does not exist.

import { ApiError } from '#base'
import type { ReferenceField, Resource, StoredField } from '#model'
import { findTrash, type TrashEntry, trashEntry } from '../../system/trash-table.ts'
import { storageTypeOf } from '../../tables/layout.ts'
import { isHidden, type StoredRow } from '../access/stored-row.ts'
import { denyAccess } from '../rules/deny-access.ts'
import type { WriteState } from '../rules/write-state.ts'
import { all, type Check, evaluateChecks, queryRows, runBatch, type Step } from '../steps/query-step.ts'
import type { JobKey, WriteJob } from '../steps/write-job.ts'
import { canSeeTarget } from './references.ts'
import { refreshUnknown } from './unknown-referrers.ts'

export interface LoadedHidden {
  /** Null also if the viewer can't read it. */
  row: StoredRow | null
  /** Null if the row is not hidden. */
  trash: TrashEntry | null
}

/** A key finds no hidden row: its values are free. */
export function* loadHidden(
  resource: Resource,
  { id, key }: Pick<WriteJob, 'id' | 'key'>,
  state: WriteState,
): Step<LoadedHidden> {
  const { context, rules } = state
  const table = context.table(resource)
  const type = storageTypeOf(context.layout, resource)
  const find = all([
    queryRows([key === null ? table.find(id!, 'delete') : table.findKey(key, 'delete')]),
    queryRows(key === null ? [findTrash(type, id!, context.query)] : []),
    queryRows(context.unknown.askServed()),
  ])
  const [[found], [trashed = []], served] = yield* runBatch(find)
  yield* refreshUnknown(context, served)
  const row = key === null ? table.storedRow(id!, found!) : table.keyedRow(found!)
  const trash = trashed[0] === undefined ? null : trashEntry(trashed[0])
  if (row === null || (isHidden(row) && trash === null)) return { row: null, trash: null }
  const [allowed, ...readable] = yield* runBatch(
    evaluateChecks([...rules.canPurge(row), ...keyReads(resource, key, row, state)]),
  )
  const isReadable = readable.every(Boolean)
  if (!isReadable || (!allowed! && isHidden(row))) return { row: null, trash: null }
  if (!allowed!) yield* denyAccess('delete', resource, row, state)
  return { row, trash: isHidden(row) ? trash : null }
}

/** A viewer who can't read a field of the key can't find the row by it. */
function keyReads(resource: Resource, key: JobKey | null, row: StoredRow, state: WriteState): Check[] {
  return (key?.fields ?? []).flatMap((name) => {
    const field = resource.fields.get(name) as StoredField | ReferenceField
    const isReadable = state.rules.canReadField(name, row.id)
    return field.kind === 'reference' ? [isReadable, canSeeTarget(field, row, state)] : [isReadable]
  })
}

export function noDeletedRow({ name }: Resource, id: string | null): ApiError {
  return new ApiError('NOT_FOUND', `There is no deleted ${name} with the id "${id}".`, {
    hint: 'It was not deleted, its time is over, or it was deleted for good.',
  })
}
