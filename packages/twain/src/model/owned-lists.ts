// Owned lists: their rows can't exist without the parent row, so a create of the parent may create them too.

import type { Field, ToManyField } from './model.ts'

/** The other side of a required reference that clients write. Accounts are excluded: creating one needs a password. */
export function isOwned(field: Field): field is ToManyField {
  if (field.kind !== 'many' || !field.via.required || field.via.auto !== null) return false
  if (field.owner.system !== undefined) return false
  return ![...field.to.fields.values()].some((one) => one.kind === 'stored' && one.isLogin === true)
}

/** The input type for a row of the list: a create input without the reference back (`CreatePostCommentsInput`). */
export function ownedInput({ owner, name }: ToManyField): string {
  return `Create${owner.name}${name.charAt(0).toUpperCase()}${name.slice(1)}Input`
}
