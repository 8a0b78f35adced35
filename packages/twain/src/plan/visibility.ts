// What a viewer can never see of the contract: such a field is, in filters, orders and searches, no field at all.

import type { Abstract, AnyField, Field, Resource } from '#model'

export interface Visibility {
  /** The class of viewers that share every plan: doors keep plans by their own key and this one. */
  readonly key: string
  /** Whether no row's value of the field can ever be read by this class. */
  isHidden(field: AnyField): boolean
  /** Whether some row's value of the field can't be read, or what it refers to: a replace may leave it out, and keeps it. */
  maybeHidden(field: AnyField): boolean
  /** Whether there is a field at all that may be refused on a row: then answers hold markers (refusal.ts). */
  readonly mayForbid: boolean
  /** The type whose rows sign in: `isViewer` may be asked of it, and its writes take a password. */
  readonly account: Resource | null
  /** Ourselves: an account may be made without a password, and nobody signs in to it until it has one. */
  readonly isSystem?: boolean
}

export const fullVisibility: Visibility = {
  key: '',
  isHidden: () => false,
  maybeHidden: () => false,
  mayForbid: false,
  account: null,
}

/** Over an abstract a field is hidden when it is so in every type. */
export function isHidden(field: AnyField, of: Resource | Abstract, visibility: Visibility): boolean {
  if (of.kind === 'resource') return visibility.isHidden(field)
  return of.members.every(({ fields, computed }) =>
    visibility.isHidden((fields.get(field.name) ?? computed.get(field.name))!),
  )
}

/** The same of a field that a request names; the draft keeps that it did. */
export function noteIfHidden(
  field: Field,
  of: Resource | Abstract,
  builder: { visibility: Visibility; namesHiddenField: boolean },
): boolean {
  const hidden = isHidden(field, of, builder.visibility)
  if (hidden) builder.namesHiddenField = true
  return hidden
}
