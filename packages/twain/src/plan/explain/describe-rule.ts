// Describes access rules and transitions in words: for `twain check --access`, and for hints in errors.

import type { OperationRule, Rule, Transition, Who } from '#model'
import { describeFilter } from '../authorize/describe-filter.ts'

/** As SDL, with its filter in words: `@allow(who: "author", to: [READ]) where status = PUBLISHED`. */
export function describeRule(rule: Rule | OperationRule): string {
  const { who, role, verified } = rule
  const { to, where, fields } = 'to' in rule ? rule : { to: null, where: null, fields: null }
  const parts = [
    ...(who.kind === 'anyone' ? [] : [`who: "${describeWho(who)}"`]),
    ...(role === null ? [] : [`role: "${role}"`]),
    ...(verified ? ['verified: true'] : []),
    ...(to === null || to.length === 4 ? [] : [`to: [${to.join(', ')}]`]),
    ...(fields === null ? [] : [`fields: [${fields.map(({ name }) => `"${name}"`).join(', ')}]`]),
  ]
  const filter = where === null ? '' : ` where ${describeFilter(where)}`
  return `@allow${parts.length === 0 ? '' : `(${parts.join(', ')})`}${filter}`
}

/** What the rule grants to viewers whom its role and `signedIn` admit: `where author`, `photos, note where author`, `always`. */
export function describeGrant(rule: Rule | OperationRule): string {
  const { who } = rule
  const { where, fields } = 'where' in rule ? rule : { where: null, fields: null }
  const conditions = [
    ...(who.kind === 'self' || who.kind === 'path' ? [describeWho(who)] : []),
    ...(where === null ? [] : [describeFilter(where)]),
  ]
  const parts = [
    ...(fields === null ? [] : [fields.map(({ name }) => name).join(', ')]),
    ...(conditions.length === 0 ? [] : [`where ${conditions.join(' and ')}`]),
  ]
  return parts.join(' ') || 'always'
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
