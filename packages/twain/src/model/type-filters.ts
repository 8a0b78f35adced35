// The words of a filter over an interface or a union that are about the type of a row:
// `{_type: {in: [Post]}}`, `{Post: {status: {eq: DRAFT}}}` (docs/reference/graphql.md#filters-by-type).

import { itemNamed, withAliases } from './aliases.ts'
import { membersOf } from './members-of.ts'
import type { Abstract, Resource } from './model.ts'

/** The name of the type of a row, in filters; in REST also in rows. */
export const typeWord = '_type'

export const typeOperators = ['eq', 'ne', 'in', 'notIn'] as const
export type TypeOperator = (typeof typeOperators)[number]

export function isTypeOperator(word: string): word is TypeOperator {
  return (typeOperators as readonly string[]).includes(word)
}

export function memberNamed(of: Resource | Abstract, name: string): Resource | undefined {
  return itemNamed(membersOf(of), name)
}

/** The members by the names that filters have for them. A field, and a present name, takes precedence over an alias. */
export function filterMembers({ members, fields }: Abstract): FilterMember[] {
  const isTaken = (name: string) => fields.has(name) || members.some((member) => member.name === name)
  return members.flatMap((of) =>
    withAliases<Resource & { deprecated: string | null }>([{ ...of, deprecated: null }])
      .filter(({ name }) => name === of.name || !isTaken(name))
      .map(({ name, deprecated }) => ({ name, of, deprecated })),
  )
}

export interface FilterMember {
  name: string
  of: Resource
  /** Null: the present name. */
  deprecated: string | null
}

/** The generated enum with the names of the members. */
export function typenameEnum({ name }: { name: string }): string {
  return `${name}Typename`
}

/** The generated filter of `_type`. */
export function typenameFilter(of: { name: string }): string {
  return `${typenameEnum(of)}Filter`
}
