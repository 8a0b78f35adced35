// What a replace of a row that is there sets.

import type { Field, ReferenceField, Resource, StoredField } from '#model'
import { defaultValue } from '#plan'
import type { JobField } from './job.ts'
import type { StoredRow } from './table-access.ts'
import { isUnseen } from './unseen.ts'
import type { Writing } from './writing.ts'

/** What a replace leaves out goes back to its default or to null, but for what it can't write, for links, and for what its
 *  writer may not see: that can't be put back by who was never given it. A reference to a row that can't be read was given
 *  as null, so that null leaves it as it is too. Nor does a row change its owner because someone else replaces it. */
export function replacement(
  resource: Resource,
  row: StoredRow,
  set: readonly JobField[],
  writing: Writing,
): JobField[] {
  const given = new Set(set.map(({ field }) => field))
  const whole = set.filter(({ field: fieldName, value }) => {
    const field = resource.fields.get(fieldName)!
    return value !== null || field.kind !== 'reference' || !isUnseen(field, row, writing)
  })
  for (const field of resource.fields.values()) {
    if (given.has(field.name) || !goesBack(field) || writing.rules.hides(field.name, row.id)) continue
    if (field.kind === 'reference' && isUnseen(field, row, writing)) continue
    const value = field.kind === 'stored' ? defaultValue(field) : (field.default ?? null)
    whole.push({ field: field.name, value, merge: false })
  }
  return whole
}

function goesBack(field: Field): field is StoredField | ReferenceField {
  if (field.kind === 'stored') return field.auto === null && !field.immutable && field.name !== 'id'
  return field.kind === 'reference' && field.auto === null && !field.immutable && !field.defaultsToViewer
}
