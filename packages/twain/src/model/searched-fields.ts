// The fields that word search looks in.

import type { Abstract, Resource, StoredField } from './model.ts'

/** For an interface or a union, each member's own fields: a row is found by the fields of its own type. */
export function searchedFields(of: Resource | Abstract): StoredField[] {
  if (of.kind === 'abstract') return of.members.flatMap(searchedFields)
  return [...of.fields.values()].filter((field) => field.kind === 'stored').filter((field) => field.search === true)
}
