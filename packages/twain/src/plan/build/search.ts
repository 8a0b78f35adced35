// `search` of a list → a condition on its rows: each word occurs in one of the searched fields, the last word as a prefix. The
// words are a parameter, so that one plan serves every search of its shape.

import { type Abstract, type Resource, type StoredField, searchedFields } from '#model'
import type { Where } from '../plan.ts'
import { hasWords } from '../search-words.ts'
import type { PlanBuilder } from './plan-builder.ts'
import { currentValue } from './request-value.ts'

/** The filter and the search together. A text without words adds nothing. */
export function planSearch(
  text: unknown,
  where: Where | null,
  of: Resource | Abstract,
  builder: PlanBuilder,
  place: string,
): Where | null {
  if (text === undefined) return where
  const all = searchedFields(of)
  const fields = all.filter((field) => !builder.visibility.isHidden(field))
  if (fields.length === 0) {
    if (all.length > 0) builder.namesHiddenField = true
    builder.problem(place, 'UNKNOWN', `No field of ${of.name} can be searched.`)
    return where
  }
  if (!hasWords(currentValue(text))) return where
  const search: Where = {
    kind: 'search',
    parameter: builder.parameter({ kind: 'search' }, text, place),
    fields: fields.map((field) => ({ field })),
  }
  return where === null ? search : { kind: 'and', of: [where, search] }
}

/** The part of a search that changes the plan. */
export function searchShape(text: unknown): string {
  return hasWords(text) ? 'w' : ''
}

/** Whether a viewer with this visibility can search the rows. */
export function isSearchable(of: Resource | Abstract, visibility: { isHidden(field: StoredField): boolean }): boolean {
  return searchedFields(of).some((field) => !visibility.isHidden(field))
}
