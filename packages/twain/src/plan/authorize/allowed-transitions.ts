// The states that a viewer could write to a row now, by a write that changes nothing else: for each state, on which rows.
// It is made of the same lines as the verdict on a move, so that the two can't differ.

import type { StateField } from '#model'
import type { AllowedTransition, ConstantValue, Where } from '../plan.ts'
import { all, any, isNever, simplify } from './conditions.ts'
import { transitionRules } from './transition-rules.ts'
import type { ViewerRules } from './viewer-rules.ts'

/** In the order of the enum; a state that never can be written by this class is left out. `given` is what must hold of the
 *  row beside the lines: that it can be read. */
export function allowedTransitions(field: StateField, given: Where, rules: ViewerRules): AllowedTransition[] {
  const { owner, stateMachine, type } = field
  const lines = transitionRules(field, rules)
  const updater = all([rules.row(owner, 'UPDATE'), rules.field(field, 'UPDATE')])
  const states = type.kind === 'enum' ? type.enum.values.map(({ name }) => name) : []
  return states
    .map((to): AllowedTransition => {
      const ways = lines
        .filter((line) => line.to.includes(to))
        .map(({ from, who, requirements: needs }) => {
          const held = needs.map(({ guard }) => simplify(withState(guard, field, to), true))
          return all([isState(field, from), who ?? updater, ...held])
        })
      if (to === stateMachine.start) ways.push(all([{ kind: 'null', target: targetOf(field), is: true }, updater]))
      return { to, when: all([given, any(ways)]) }
    })
    .filter(({ when }) => !isNever(when))
}

function targetOf(field: StateField) {
  return { kind: 'target', field, inside: [] } as const satisfies { kind: 'target'; field: StateField; inside: [] }
}

function isState(field: StateField, state: string): Where {
  return { kind: 'compare', target: targetOf(field), op: 'eq', parameter: { constant: state } }
}

/** The condition on a row whose state is this. Other rows are as they are, that row among them when it is reached by a way
 *  around: a write is judged by rows as they stood. */
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
    default:
      return where
  }
}

/** An enum has these four operators. */
function compares({ op, parameter }: Where & { kind: 'compare' }, state: string): boolean {
  const { constant } = parameter as ConstantValue
  const holds = Array.isArray(constant) ? constant.includes(state) : constant === state
  return op === 'eq' || op === 'in' ? holds : !holds
}
