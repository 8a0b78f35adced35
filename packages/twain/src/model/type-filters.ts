// The words of a filter over an interface or a union that are about the type of a row:
// `{_type: {in: [Post]}}`, `{Post: {status: {eq: DRAFT}}}` (docs/reference/graphql.md#filters-by-type).

import { membersOf } from './members-of.ts'
import type { Abstract, Resource } from './model.ts'

/** The name of the type of a row, in filters; in REST also in rows. */
export const typeWord = '_type'

export const typeOperators = ['eq', 'ne', 'in', 'notIn'] as const
export type TypeOperator = (typeof typeOperators)[number]

export function isTypeOperator(word: string): word is TypeOperator {
  return (typeOperators as readonly string[]).includes(word)
}

/** The member with this name; a present name takes precedence over a previous one. */
export function memberNamed(of: Resource | Abstract, name: string): Resource | undefined {
  const members = membersOf(of)
  return members.find((member) => member.name === name) ?? members.find(({ alias }) => alias === name)
}

/** The generated enum with the names of the members. */
export function typenameEnum({ name }: { name: string }): string {
  return `${name}Typename`
}

/** The generated filter of `_type`. */
export function typenameFilter(of: { name: string }): string {
  return `${typenameEnum(of)}Filter`
}
