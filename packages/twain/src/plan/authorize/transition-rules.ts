// What the `@next` lines of a state field mean for a class of viewers (product.md, section 3).

import type { Field, Json, Resource, StateField } from '#model'
import type { TransitionRule, Where } from '../plan.ts'
import { isNever } from './conditions.ts'
import { describeFilter } from './describe-filter.ts'
import type { ViewerRules } from './viewer-rules.ts'

export function transitionRules({ stateMachine, owner }: StateField, rules: ViewerRules): TransitionRule[] {
  return stateMachine.transitions.map((move) => {
    const who = rules.transitionActor(move)
    const requirements =
      move.where === null ? [] : membersOf(move.where).map((member) => requirementOf(member, owner, rules))
    return { from: move.from, to: move.to, ...(who === undefined ? {} : { who }), requirements }
  })
}

/** Whether a line that names someone may be the way in for somebody of this class. */
export function canTransition({ who }: TransitionRule): boolean {
  return who !== undefined && !isNever(who)
}

/** The members of a filter hold together; each is a filter of its own, so that what does not hold can be named. */
function membersOf(where: Json): Json[] {
  return Object.entries(where as Record<string, Json>).map(([word, value]) => ({ [word]: value }))
}

function requirementOf(where: Json, of: Resource, rules: ViewerRules): TransitionRule['requirements'][number] {
  const guard = rules.filter(where, of)
  const isTold = !fieldsIn(guard).some((field) => rules.isHidden(field))
  return { guard, words: isTold ? describeFilter(where) : null }
}

function fieldsIn(where: Where): Field[] {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.of.flatMap(fieldsIn)
    case 'not':
      return fieldsIn(where.of)
    case 'compare':
      return [where.target.field]
    case 'null':
      return [where.target.kind === 'target' ? where.target.field : where.target]
    case 'through':
      return [where.field, ...fieldsIn(where.where)]
    case 'some':
    case 'none':
      return [where.field, ...(where.where === null ? [] : fieldsIn(where.where))]
    default:
      return []
  }
}
