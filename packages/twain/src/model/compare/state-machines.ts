// Compares state machines: for each transition that a `@next` rule granted, a rule that is equal or wider must grant it now.

import type { Resource, StateMachine } from '../model.ts'
import { type StateField, stateFields, transitionsName } from '../state-machines.ts'
import type { Differences } from './differences.ts'
import { covers, printRule } from './rule-coverage.ts'

export function compareStateMachines(
  before: Resource,
  after: Resource,
  account: Resource | null,
  found: Differences,
): void {
  for (const field of stateFields(before)) {
    const now = after.fields.get(field.name)
    if (now?.kind !== 'stored') continue
    if (now.stateMachine !== undefined) compareTransitions(field, now.stateMachine, account, found)
    else {
      const path = `${before.name}.${field.name}`
      const message = `${path} is no longer a state machine, and ${transitionsName(field)} was removed`
      found.breaking(path, message, { affects: 'readers' }, 'Put the @next rules back.')
    }
  }
  for (const { name } of stateFields(after)) {
    const was = before.fields.get(name)
    if (was?.kind !== 'stored' || was.stateMachine !== undefined) continue
    const path = `${after.name}.${name}`
    const message = `${path} is a state machine now, and could be written freely`
    found.breaking(path, message, { affects: 'writers' }, 'Use a new field for the states.')
  }
}

function compareTransitions(
  { owner, name, stateMachine: was }: StateField,
  is: StateMachine,
  account: Resource | null,
  found: Differences,
): void {
  const path = `${owner.name}.${name}`
  if (was.start !== is.start) {
    const message = `a new ${owner.name} started in ${was.start} and starts in ${is.start} now`
    found.breaking(path, message, { affects: 'clients' }, `Set @default(value: ${was.start}).`)
  }
  for (const [transition, state] of uncoveredTransitions(was, is, account)) {
    const message = `${printRule(transition)} could change ${path} from ${transition.from} to ${state}, and no rule allows it now`
    found.breaking(path, message, { affects: 'viewers' }, 'Put the @next rule back, or write a wider one.')
  }
  for (const [transition, state] of uncoveredTransitions(is, was, account)) {
    found.additive(path, `${printRule(transition)} may change ${path} from ${transition.from} to ${state} now`)
  }
}

function* uncoveredTransitions(
  machine: StateMachine,
  other: StateMachine,
  account: Resource | null,
): Generator<[StateMachine['transitions'][number], string]> {
  for (const transition of machine.transitions) {
    for (const state of transition.to) {
      const candidates = other.transitions.filter(({ from, to }) => from === transition.from && to.includes(state))
      if (!candidates.some((candidate) => covers(candidate, transition, account))) yield [transition, state]
    }
  }
}
