// Numbers that `_increment` can count in: an update adds to what the row holds, without reading it.

import type { Field, Resource, StoredField } from './model.ts'
import { isNumber } from './values/scalar-types.ts'

/** The member of an update, and the argument of GraphQL, that names the numbers to add. */
export const incrementMember = '_increment'

export function isCountable(field: Field): field is StoredField {
  if (field.kind !== 'stored' || field.immutable || field.auto !== null) return false
  return isNumber(field.type)
}

/** The fields that an update of this type can count in. */
export function countableFields({ fields }: Resource): StoredField[] {
  return [...fields.values()].filter(isCountable)
}

/** The input type of the numbers to add. */
export function incrementInput({ name }: Resource): string {
  return `Increment${name}Input`
}
