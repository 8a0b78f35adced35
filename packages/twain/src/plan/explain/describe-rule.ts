// Describes access rules and transitions in words: for `twain check --access`, and for hints in errors.

import type { OperationRule, Rule, Transition, Who } from '#model'
import { describeFilter } from '../authorize/describe-filter.ts'

/** As SDL, with its filter in words: `@allow(who: "author", to: [READ]) where status = PUBLISHED`. */
export function describeRule(rule: Rule | OperationRule): string {
  const { who, role } = rule
  const { to, where } = 'to' in rule ? rule : { to: null, where: null }
  const parts = [
    ...(who.kind === 'anyone' ? [] : [`who: "${describeWho(who)}"`]),
    ...(role === null ? [] : [`role: "${role}"`]),
    ...(to === null || to.length === 4 ? [] : [`to: [${to.join(', ')}]`]),
  ]
  const filter = where === null ? '' : ` where ${describeFilter(where)}`
  return `@allow${parts.length === 0 ? '' : `(${parts.join(', ')})`}${filter}`
}

/** The condition on the row, without the role; empty if the rule holds on every row. */
export function describeCondition(rule: Rule | OperationRule): string {
  const { who } = rule
  const where = 'where' in rule ? rule.where : null
  const parts = [
    ...(who.kind === 'self' || who.kind === 'path' ? [describeWho(who)] : []),
    ...(where === null ? [] : [describeFilter(where)]),
  ]
  return parts.join(' and ')
}

/** As SDL, with its filter in words: `@next(to: [PAID], role: "cashier") where address is not null`. */
export function describeTransition({ to, who, role, where }: Transition): string {
  const parts = [
    `to: [${to.join(', ')}]`,
    ...(who === null ? [] : [`who: "${describeWho(who)}"`]),
    ...(role === null ? [] : [`role: "${role}"`]),
  ]
  return `@next(${parts.join(', ')})${where === null ? '' : ` where ${describeFilter(where)}`}`
}

/** Who can make the transition, and under which condition; empty if the `@next` states neither. */
export function describeTransitionActor({ who, role, where }: Transition): string {
  const parts = [
    ...(who === null ? [] : [describeWho(who)]),
    ...(role === null ? [] : [`role ${role}`]),
    ...(where === null ? [] : [`where ${describeFilter(where)}`]),
  ]
  return parts.join(', ')
}

function describeWho(who: Who): string {
  return who.kind === 'path' ? who.text : who.kind
}
