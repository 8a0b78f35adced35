// The states that a viewer could write to a row now, by a write that changes nothing else: for each state, on which rows.
// It uses the transition rules that writes are checked by, so that the two can't differ.

import { unreachable } from '#base'
import type { StateField } from '#model'
import type { AllowedTransition, ConstantValue, TransitionRule, Where } from '../plan.ts'
import { all, any, isNever, simplify } from './conditions.ts'
import { transitionRules } from './transition-rules.ts'
import type { ViewerRules } from './viewer-rules.ts'

/** In the order of the enum, without states that this class of viewers can never write. `readable` must hold too: that the
 *  viewer can read the row. */
export function allowedTransitions(field: StateField, readable: Where, rules: ViewerRules): AllowedTransition[] {
  const { stateMachine, type } = field
  const transitions = transitionRules(field, rules)
  const states = type.kind === 'enum' ? type.enum.values.map(({ name }) => name) : []
  return states
    .map((to): AllowedTransition => {
      const conditions = transitions
        .filter((transition) => transition.to.includes(to))
        .map((transition) => transitionCondition(field, transition, to, rules))
      if (to === stateMachine.start)
        conditions.push(all([{ kind: 'null', target: targetOf(field), is: true }, updaterOf(field, rules)]))
      return { to, when: all([readable, any(conditions)]) }
    })
    .filter(({ when }) => !isNever(when))
}

/** The rows on which this `@next` alone allows the transition. */
export function transitionCondition(
  field: StateField,
  { from, who, requirements }: TransitionRule,
  to: string,
  rules: ViewerRules,
): Where {
  const required = requirements.map(({ guard }) => simplify(withState(guard, field, to), true))
  return all([isState(field, from), who ?? updaterOf(field, rules), ...required])
}

/** A `@next` without `who` and `role` is for viewers who may update the row and the field. */
export function updaterOf(field: StateField, rules: ViewerRules): Where {
  return all([rules.row(field.owner, 'UPDATE'), rules.field(field, 'UPDATE')])
}

function targetOf(field: StateField) {
  return { kind: 'target', field, inside: [] } as const satisfies { kind: 'target'; field: StateField; inside: [] }
}

export function isState(field: StateField, state: string): Where {
  return { kind: 'compare', target: targetOf(field), op: 'eq', parameter: { constant: state } }
}

/** The condition for a row with this state. Other rows stay as they are, even this row if a path leads back to it: writes are
 *  checked against the rows before them. */
function withState(where: Where, field: StateField, state: string): Where {
  switch (where.kind) {
    case 'and':
    case 'or':
      return { ...where, of: where.of.map((part) => withState(part, field, state)) }
    case 'not':
      return { ...where, of: withState(where.of, field, state) }
    case 'compare':
      return where.target.field === field ? { kind: 'constant', is: compares(where, state) } : where
    case 'null':
      return where.target.kind === 'target' && where.target.field === field
        ? { kind: 'constant', is: !where.is }
        : where
    case 'through':
    case 'some':
    case 'none':
    case 'search':
    case 'constant':
    case 'viewer':
    case 'type':
    case 'live':
      return where
    default:
      return unreachable(where)
  }
}

/** An enum has `eq`, `ne`, `in` and `notIn`. */
function compares({ op, parameter }: Where & { kind: 'compare' }, state: string): boolean {
  const { constant } = parameter as ConstantValue
  const holds = Array.isArray(constant) ? constant.includes(state) : constant === state
  return op === 'eq' || op === 'in' ? holds : !holds
}
