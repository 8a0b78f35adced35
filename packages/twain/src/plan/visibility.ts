// What a class of viewers can see of the model. A field that they can never read does not exist in filters, orders and searches.

import { type Abstract, type AnyField, type Field, isOpaque, type Resource } from '#model'

export interface Visibility {
  /** Names the class of viewers, who share every plan: a part of the key of cached plans. */
  readonly key: string
  /** Whether the viewer can read the field on no row. */
  isHidden(field: AnyField): boolean
  /** Whether the viewer can't read the field, or the row that it refers to, on some rows. A replace may leave it out, and keeps
   *  its value. */
  maybeHidden(field: AnyField): boolean
  /** Whether some field may be forbidden on a readable row: then results can hold markers (`markers.ts`). */
  readonly mayForbid: boolean
  /** The account type: filters of it have `isViewer`, and its writes take a password. */
  readonly account: Resource | null
  /** The server itself: it may create an account without a password, and a row with an id and times of its own. Nobody can sign
   *  in to such an account until it has a password. */
  readonly isSystem?: boolean
}

export const fullVisibility: Visibility = {
  key: '',
  isHidden: () => false,
  maybeHidden: () => false,
  mayForbid: false,
  account: null,
}

/** Over an abstract, a field is hidden if it is hidden in every member. */
export function isHidden(field: AnyField, of: Resource | Abstract, visibility: Visibility): boolean {
  if (of.kind === 'resource') return visibility.isHidden(field)
  return of.members.every(({ fields, computed }) =>
    visibility.isHidden((fields.get(field.name) ?? computed.get(field.name))!),
  )
}

/** Whether filters have the field. */
export function isFiltered(field: Field, of: Resource | Abstract, visibility: Visibility): boolean {
  return !isOpaque(field) && !isHidden(field, of, visibility)
}

/** The same for a field that a request names. The builder notes that it did. */
export function noteIfHidden(
  field: Field,
  of: Resource | Abstract,
  builder: { visibility: Visibility; namesHiddenField: boolean },
): boolean {
  const hidden = isHidden(field, of, builder.visibility)
  if (hidden) builder.namesHiddenField = true
  return hidden
}
