// The fields that a replace of a stored row sets.

import type { Field, ReferenceField, Resource, StoredField } from '#model'
import { containsEnum, unknownEnumValues } from '#plan'
import { defaultValue } from '#plan/build'
import type { StoredRow } from '../access/stored-row.ts'
import type { WriteState } from '../rules/write-state.ts'
import { all, evaluateChecks, map, type QueryBatch } from '../steps/query-step.ts'
import type { JobField } from '../steps/write-job.ts'
import { canSeeTarget } from './references.ts'

/** A field that the replace omits gets its default or null. Exceptions: read-only fields, links, states, and hidden
 *  fields, which the client never received. A hidden reference was sent as null, so null keeps it too. Nor does the owner
 *  of a row change because another viewer replaces it, nor a value that came from a token. An enum value of a newer schema stays: not every client can name it. */
export function replacementFields(
  resource: Resource,
  row: StoredRow,
  set: readonly JobField[],
  state: WriteState,
): QueryBatch<JobField[]> {
  const inputs = new Set(set.map(({ field }) => field))
  const left = [...resource.fields.values()]
    .filter(isResettable)
    .filter((field) => !inputs.has(field.name) && !holdsNewerValue(field, row, state))
  const seen = (field: Field) => (field.kind === 'reference' ? canSeeTarget(field, row, state) : true)
  const batch = all([
    evaluateChecks(set.map(({ field, value }) => value !== null || seen(resource.fields.get(field)!))),
    evaluateChecks(left.map(seen)),
    evaluateChecks(left.map(({ name }) => state.rules.canReadField(name, row.id))),
  ])
  return map(batch, ([givenSeen, leftSeen, leftShown]) => [
    ...set.filter((_, index) => givenSeen[index]),
    ...left.filter((_, index) => leftSeen[index] && leftShown[index]).map(resetField),
  ])
}

function holdsNewerValue(field: StoredField | ReferenceField, row: StoredRow, { context }: WriteState): boolean {
  if (field.kind !== 'stored' || !containsEnum(field.type)) return false
  return unknownEnumValues(field.type, context.table(field.owner).decode(field, row)).size > 0
}

function resetField(field: StoredField | ReferenceField): JobField {
  const value = field.kind === 'stored' ? defaultValue(field) : (field.default ?? null)
  return { field: field.name, value, merge: false }
}

function isResettable(field: Field): field is StoredField | ReferenceField {
  if ('defaultClaim' in field) return false
  if (field.kind === 'stored') {
    return field.auto === null && !field.immutable && field.stateMachine === undefined && field.name !== 'id'
  }
  return field.kind === 'reference' && field.auto === null && !field.immutable && !field.defaultsToViewer
}
