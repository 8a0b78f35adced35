// The resources behind a type that can be queried.

import type { Abstract, Model, Resource } from './model.ts'

/** The resource itself, or the members of an interface or union. */
export function membersOf(type: Resource | Abstract): readonly Resource[] {
  return type.kind === 'resource' ? [type] : type.members
}

/** Whether a row of this type can be an account. */
export function mayBeAccount(type: Resource | Abstract, { account }: Pick<Model, 'account'>): boolean {
  return membersOf(type).some((member) => member === account?.resource)
}
