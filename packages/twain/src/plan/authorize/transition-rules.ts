// What the `@next` directives of a state field mean for a class of viewers (docs/reference/schema.md#state-machines).

import { unreachable } from '#base'
import type { Field, Json, Resource, StateField } from '#model'
import type { TransitionRule, Where } from '../plan.ts'
import { conditionsIn } from '../visit-plan.ts'
import { isNever } from './conditions.ts'
import { describeFilter } from './describe-filter.ts'
import type { ViewerRules } from './viewer-rules.ts'

export function transitionRules({ stateMachine, owner }: StateField, rules: ViewerRules): TransitionRule[] {
  return stateMachine.transitions.map((transition) => {
    const who = rules.transitionActor(transition)
    const requirements =
      transition.where === null ? [] : membersOf(transition.where).map((member) => requirementOf(member, owner, rules))
    return { from: transition.from, to: transition.to, ...(who === undefined ? {} : { who }), requirements }
  })
}

/** Whether the rule itself could allow the transition to a viewer of this class. */
export function canTransition({ who }: TransitionRule): boolean {
  return who !== undefined && !isNever(who)
}

/** Splits a filter into its members, so that an error can name the member that does not hold. */
function membersOf(where: Json): Json[] {
  return Object.entries(where as Record<string, Json>).map(([word, value]) => ({ [word]: value }))
}

function requirementOf(where: Json, of: Resource, rules: ViewerRules): TransitionRule['requirements'][number] {
  const guard = rules.filter(where, of)
  const isVisible = !fieldsIn(guard).some((field) => rules.isHidden(field))
  return { guard, words: isVisible ? describeFilter(where) : null }
}

function fieldsIn(where: Where): Field[] {
  return [...fieldsOf(where), ...conditionsIn(where).flatMap(fieldsIn)]
}

/** The fields that the condition itself names. */
function fieldsOf(where: Where): Field[] {
  switch (where.kind) {
    case 'compare':
      return [where.target.field]
    case 'null':
      return [where.target.kind === 'target' ? where.target.field : where.target]
    case 'through':
    case 'some':
    case 'none':
      return [where.field]
    case 'search':
      return where.fields.map(({ field }) => field)
    case 'and':
    case 'or':
    case 'not':
    case 'constant':
    case 'live':
    case 'viewer':
    case 'type':
      return []
    default:
      return unreachable(where)
  }
}
