// An `@allow` line in words, for people: the report of `twain check --access`, and hints beside a refusal.

import type { Rule, Transition, Who } from '#model'
import { describeFilter } from '../authorize/describe-filter.ts'

/** As it would be written, its filter in words: `@allow(who: "author", to: [READ]) where status = PUBLISHED`. */
export function describeRule({ who, role, to, where }: Rule): string {
  const said = [
    ...(who.kind === 'anyone' ? [] : [`who: "${describeWho(who)}"`]),
    ...(role === null ? [] : [`role: "${role}"`]),
    ...(to.length === 4 ? [] : [`to: [${to.join(', ')}]`]),
  ]
  const filter = where === null ? '' : ` where ${describeFilter(where)}`
  return `@allow${said.length === 0 ? '' : `(${said.join(', ')})`}${filter}`
}

/** What a row must be like for a line to hold; the role aside, and nothing for what holds on every row. */
export function describeCondition({ who, where }: Pick<Rule, 'who' | 'where'>): string {
  const parts = [
    ...(who.kind === 'self' || who.kind === 'path' ? [describeWho(who)] : []),
    ...(where === null ? [] : [describeFilter(where)]),
  ]
  return parts.join(' and ')
}

/** A `@next` line: `@next(to: [PAID], role: "cashier") where address is not null`. */
export function describeTransition({ to, who, role, where }: Transition): string {
  const said = [
    `to: [${to.join(', ')}]`,
    ...(who === null ? [] : [`who: "${describeWho(who)}"`]),
    ...(role === null ? [] : [`role: "${role}"`]),
  ]
  return `@next(${said.join(', ')})${where === null ? '' : ` where ${describeFilter(where)}`}`
}

/** Who makes the move, and under which condition; nothing for a line that says neither. */
export function describeTransitionActor({ who, role, where }: Transition): string {
  const said = [
    ...(who === null ? [] : [describeWho(who)]),
    ...(role === null ? [] : [`role ${role}`]),
    ...(where === null ? [] : [`where ${describeFilter(where)}`]),
  ]
  return said.join(', ')
}

function describeWho(who: Who): string {
  return who.kind === 'path' ? who.text : who.kind
}
