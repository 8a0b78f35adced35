// Whether one `@allow` or `@next` rule grants everything that another one grants. Rules are compared by their text, not by
// their effect on rows. Two filters that are written differently count as different, so at worst a harmless change is
// listed.

import { membersOf } from '../members-of.ts'
import type { Json, Resource, Who } from '../model.ts'

export interface CoverableRule {
  /** Null (`@next` only): viewers who may update the row. */
  who: Who | null
  role: string | null
  /** Absent (`@next`): unproven accounts count, too. */
  verified?: boolean
  where: Json | null
  /** The fields that a rule on a type is limited to; null or absent: the whole row. */
  fields?: readonly { name: string }[] | null
}

export function covers(wide: CoverableRule, narrow: CoverableRule, account: Resource | null): boolean {
  if (!coversFields(wide, narrow)) return false
  if (wide.role !== null && wide.role !== narrow.role) return false
  if (wide.verified === true && narrow.verified !== true) return false
  if (wide.where !== null && canonical(wide.where) !== canonical(narrow.where)) return false
  return reaches(wide, narrow, account)
}

function coversFields({ fields: wide }: CoverableRule, { fields: narrow }: CoverableRule): boolean {
  if (wide == null) return true
  return narrow?.every(({ name }) => wide.some((field) => field.name === name)) === true
}

function reaches(wide: CoverableRule, narrow: CoverableRule, account: Resource | null): boolean {
  // `@next` only: a rule without `who` and `role` follows the rules of the row; a rule with only a role requires nothing
  // more.
  if (wide.who === null)
    return narrow.who === null ? (wide.role === null) === (narrow.role === null) : wide.role !== null
  if (wide.who.kind === 'anyone') return true
  if (narrow.who === null) return false
  if (wide.who.kind === 'signedIn') return isSignedIn(narrow.who, account)
  return printWho(wide.who) === printWho(narrow.who)
}

/** A path to another type may also match anonymous viewers: the rules of the type at its end decide. */
function isSignedIn(who: Who, account: Resource | null): boolean {
  if (who.kind !== 'path') return who.kind !== 'anyone'
  const end = who.path.at(-1)?.to
  return end !== undefined && account !== null && membersOf(end).some(({ name }) => name === account.name)
}

/** Describes whom a rule admits: `signed-in viewers with the role editor, where {…}`. */
export function printRule({ who, role, verified, where }: CoverableRule): string {
  const person = who === null ? 'viewers who may update the row' : persons[who.kind](printWho(who))
  const named =
    role === null
      ? person
      : who === null || who.kind === 'anyone'
        ? `the role ${role}`
        : `${person} with the role ${role}`
  const proven = verified === true ? `${named} with a proven address` : named
  return where === null ? proven : `${proven}, where ${JSON.stringify(where)},`
}

const persons: Readonly<Record<Who['kind'], (path: string) => string>> = {
  anyone: () => 'anyone',
  signedIn: () => 'signed-in viewers',
  self: () => 'an account itself',
  path: (path) => `the viewer at ${path}`,
}

function printWho(who: Who): string {
  return who.kind === 'path' ? who.text : who.kind
}

/** The order of keys does not matter. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key]!)}`).join()}}`
}
