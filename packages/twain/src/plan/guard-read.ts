// A read, held to the rules at each of its levels: rows that may not be read are not there, references to them are null,
// and a field that may not be read on a row is refused in its place.

import { unreachable } from '#base'
import type { Abstract, LinksField, ReferenceField, Resource, ToManyField } from '#model'
import { all, always, any, isAlways } from './conditions.ts'
import { fieldGuard, guardWhere } from './guard-where.ts'
import type { Case, ConnectionPick, Guard, Many, One, Order, Pick, Read, Where } from './plan.ts'
import type { Rules } from './rules.ts'

export function guardRead(read: Read, rules: Rules): Read {
  switch (read.kind) {
    case 'one':
      return guardOne(read, rules)
    case 'many':
      return guardMany(read, rules, read.within?.field ?? null)
    default:
      return unreachable(read)
  }
}

function guardOne(read: One, rules: Rules): One {
  return { ...read, ...guardOf(rules.row(read.of, 'READ')), pick: guardPicks(read.pick, read.of, rules, true) }
}

/** `list`: the field of a readable row whose list this is. */
function guardMany(read: Many, rules: Rules, list: ToManyField | LinksField | null): Many {
  const { of, within, shape } = read
  const where = all([readable(of, list, rules), read.where === null ? always : guardWhere(read.where, of, rules)])
  return {
    ...read,
    within: within === null ? null : guardWithin(within, rules),
    where: isAlways(where) ? null : where,
    order: read.order.map((key) => guardKey(key, of, rules)),
    shape:
      shape.kind === 'list'
        ? { kind: 'list', cases: guardPageCases(shape.cases, rules) }
        : { kind: 'connection', pick: shape.pick.map((pick) => guardConnectionPick(pick, rules)) },
  }
}

/** The owner of a list must be readable, and so must its list. */
function guardWithin(within: Many['within'] & object, rules: Rules): Many['within'] {
  const { field } = within
  return { ...within, ...guardOf(all([rules.row(field.owner, 'READ'), rules.field(field, 'READ')])) }
}

function guardKey(key: Order, of: Resource | Abstract, rules: Rules): Order {
  if (key.kind === 'type') return key
  return { ...key, ...guardOf(fieldGuard(key.field, of, rules)) }
}

function guardConnectionPick(pick: ConnectionPick, rules: Rules): ConnectionPick {
  if (pick.kind !== 'edges') return pick
  const edges = pick.pick.map((edge) =>
    edge.kind === 'node' ? { ...edge, cases: guardPageCases(edge.cases, rules) } : edge,
  )
  return { ...pick, pick: edges }
}

/** The rows of a page are guarded by its filter already. */
function guardPageCases(cases: readonly Case[], rules: Rules): Case[] {
  return cases.map(({ of, pick }) => ({ of, pick: guardPicks(pick, of, rules, true) }))
}

/** Rows that are referred to. */
function guardCases(cases: readonly Case[], rules: Rules): Case[] {
  return cases.map(({ of, pick }) => ({
    of,
    ...guardOf(rules.row(of, 'READ')),
    pick: guardPicks(pick, of, rules, true),
  }))
}

/** `isReadable`: the row itself has passed READ; what a write answers has not. */
export function guardPicks(picks: readonly Pick[], of: Resource, rules: Rules, isReadable: boolean): Pick[] {
  return picks.map((pick) => guardPick(pick, of, rules, isReadable))
}

function guardPick(pick: Pick, of: Resource, rules: Rules, isReadable: boolean): Pick {
  switch (pick.kind) {
    case 'constant':
    case 'version':
      return pick
    case 'field':
    case 'value':
      return { ...pick, ...guardOf(fieldGuard(pick.field, of, rules)) }
    case 'id':
      return { ...pick, ...guardOf(fieldGuard(pick.field, of, rules)), ...targetsOf(pick.field.to, rules) }
    case 'one':
      return { ...pick, ...guardOf(fieldGuard(pick.field, of, rules)), cases: guardCases(pick.cases, rules) }
    case 'many': {
      const read = guardMany(pick.read, rules, isReadable ? pick.field : null)
      return { ...pick, ...guardOf(fieldGuard(pick.field, of, rules)), read }
    }
    case 'computed':
      // What own code is given of the row is held to the rules as if its viewer had asked for it.
      return {
        ...pick,
        ...guardOf(rules.field(pick.field, 'READ')),
        from: guardPicks(pick.from, of, rules, isReadable),
      }
    default:
      return unreachable(pick)
  }
}

function targetsOf(to: Resource | Abstract, rules: Rules): { targets?: Case[] } {
  const members = to.kind === 'resource' ? [to] : to.members
  if (members.every((member) => isAlways(rules.row(member, 'READ')))) return {}
  return { targets: members.map((of) => ({ of, ...guardOf(rules.row(of, 'READ')), pick: [] })) }
}

/** Absent where everything passes, so that a plan without rules stays the plan that it was. */
function guardOf(guard: Guard): { guard?: Guard } {
  return isAlways(guard) ? {} : { guard }
}

/** READ of the rows. Who may see a row because they may see its owner may see it in the owner's list: that the owner is
 *  readable is known there, and is not asked again for each row. */
function readable(of: Resource | Abstract, list: ToManyField | LinksField | null, rules: Rules): Where {
  const rule = rules.rows(of, 'READ')
  return list?.kind === 'many' ? without(rule, list.via, rules.row(list.owner, 'READ')) : rule
}

/** The condition, given that the row's `via` leads to a row for which `known` holds. */
function without(rule: Where, via: ReferenceField, known: Where): Where {
  if (rule.kind === 'or') return any(rule.of.map((part) => without(part, via, known)))
  if (rule.kind === 'and') return all(rule.of.map((part) => without(part, via, known)))
  return rule.kind === 'through' && rule.field === via && rule.where === known ? always : rule
}
