// The types of rows behind a type that rows are asked of.

import type { Abstract, Model, Resource } from './model.ts'

/** What a row may be of: the resource itself, or the members of an abstract. */
export function membersOf(type: Resource | Abstract): readonly Resource[] {
  return type.kind === 'resource' ? [type] : type.members
}

/** Whether a row may be an account. */
export function mayBeAccount(type: Resource | Abstract, { account }: Pick<Model, 'account'>): boolean {
  return membersOf(type).some((member) => member === account?.resource)
}
