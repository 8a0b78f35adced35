// What a replace of a row that is there sets.

import type { Field, ReferenceField, Resource, StoredField } from '#model'
import { defaultValue } from '#plan/build'
import type { StoredRow } from '../access/stored-row.ts'
import type { Writing } from '../rules/write-state.ts'
import { all, type Look, map, settle } from '../steps/query-step.ts'
import type { JobField } from '../steps/write-job.ts'
import { isSeen } from './references.ts'

/** What a replace leaves out goes back to its default or to null, but for what it can't write, for links, for states, and for what its
 *  writer may not see: that can't be put back by who was never given it. A reference to a row that can't be read was given
 *  as null, so that null leaves it as it is too. Nor does a row change its owner because someone else replaces it. */
export function replacement(
  resource: Resource,
  row: StoredRow,
  set: readonly JobField[],
  writing: Writing,
): Look<JobField[]> {
  const given = new Set(set.map(({ field }) => field))
  const left = [...resource.fields.values()].filter(goesBack).filter(({ name }) => !given.has(name))
  const seen = (field: Field) => (field.kind === 'reference' ? isSeen(field, row, writing) : true)
  const looks = all([
    settle(set.map(({ field, value }) => value !== null || seen(resource.fields.get(field)!))),
    settle(left.map(seen)),
    settle(left.map(({ name }) => writing.rules.shows(name, row.id))),
  ])
  return map(looks, ([givenSeen, leftSeen, leftShown]) => [
    ...set.filter((_, index) => givenSeen[index]),
    ...left.filter((_, index) => leftSeen[index] && leftShown[index]).map(setBack),
  ])
}

function setBack(field: StoredField | ReferenceField): JobField {
  const value = field.kind === 'stored' ? defaultValue(field) : (field.default ?? null)
  return { field: field.name, value, merge: false }
}

function goesBack(field: Field): field is StoredField | ReferenceField {
  if (field.kind === 'stored') {
    return field.auto === null && !field.immutable && field.stateMachine === undefined && field.name !== 'id'
  }
  return field.kind === 'reference' && field.auto === null && !field.immutable && !field.defaultsToViewer
}
