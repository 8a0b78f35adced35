// The resources behind a type that can be queried, and their fields that word search looks in.

import type { Abstract, Account, Field, Model, Resource, StoredField } from './model.ts'

/** The resource itself, or the members of an interface or union. */
export function membersOf(type: Resource | Abstract): readonly Resource[] {
  return type.kind === 'resource' ? [type] : type.members
}

/** Whether a row of this type can be an account. */
export function mayBeAccount(type: Resource | Abstract, { account }: Pick<Model, 'account'>): boolean {
  return membersOf(type).some((member) => member === account?.resource)
}

/** For an interface or a union, each member's own fields: a row is found by the fields of its own type. */
export function searchedFields(of: Resource | Abstract): StoredField[] {
  if (of.kind === 'abstract') return of.members.flatMap(searchedFields)
  return [...of.fields.values()].filter((field) => field.kind === 'stored').filter((field) => field.search === true)
}

/** The built-in type of files: no type of a schema file can have this name. */
export function isFile({ name }: { name: string }): boolean {
  return name === 'File'
}

/** Whether the field is part of a row for which a request chooses no fields. */
export function isShownByDefault(field: Field): boolean {
  return field.kind !== 'stored' || (field.isShownOnce !== true && field.isOnRequest !== true)
}

/** Whether logins are addresses to which mails can go. */
export function hasAddresses({ login }: Account): boolean {
  return login.name === 'email' || login.constraint?.format === 'email'
}
