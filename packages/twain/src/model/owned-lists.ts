// Which lists are owned: their rows can't be without the row that they belong to, so that one can make them along with it.

import type { Field, ToManyField } from './model.ts'

/** The other side of a required reference that a writer gives. Accounts are made by themselves: they need a password. */
export function isOwned(field: Field): field is ToManyField {
  if (field.kind !== 'many' || !field.via.required || field.via.auto !== null) return false
  return ![...field.to.fields.values()].some((one) => one.kind === 'stored' && one.isLogin === true)
}

/** The input of a row of the list, which is all of a create's but the reference back: `CreatePostCommentsInput`. */
export function ownedInput({ owner, name }: ToManyField): string {
  return `Create${owner.name}${name.charAt(0).toUpperCase()}${name.slice(1)}Input`
}
