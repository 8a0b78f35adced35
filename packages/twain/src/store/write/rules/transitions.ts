// Checks the state transitions of a write, inside its transaction, by the `@next` rules alone (docs/reference/rules.md).
//
// 1. A create starts in the initial state of the schema.
// 2. A `@next` rule with a viewer condition grants the transition by itself, by the row before the write. One without it
//    requires that the viewer may update the row and the field.
// 3. The conditions of a `@next` rule hold for the row after the write.
// 4. A row without a state, as old rows may be, starts like a new one.

import { ApiError, type Problem } from '#base'
import { type Resource, type StateField, stateFields } from '#model'
import { signInRequired } from '#plan'
import type { StoredRow } from '../access/stored-row.ts'
import { type Check, evaluateChecks, map, ok, type QueryBatch } from '../steps/query-step.ts'
import type { JobField, JobTransition } from '../steps/write-job.ts'
import { checkNewRow, checkRow } from './write-rules.ts'
import type { WriteState } from './write-state.ts'

export interface RequestedTransition {
  field: StateField
  from: string | null
  to: unknown
}

/** Reports fields of a new row that do not start in their initial state. */
export function checkInitialStates(
  resource: Resource,
  inputs: ReadonlyMap<string, JobField>,
  { transitions: states }: WriteState,
  problems: Problem[],
): void {
  if (states === null) return
  for (const { name, stateMachine } of stateFields(resource)) {
    const start = inputs.get(name)
    if (start === undefined || start.value === stateMachine.start) continue
    problems.push({
      path: name,
      code: 'STATE',
      message: `starts as ${stateMachine.start}, and can't be set otherwise.`,
    })
  }
}

/** The changed fields that are states. */
export function findTransitions(
  changed: readonly { field: { name: string }; value: unknown }[],
  row: StoredRow,
  resource: Resource,
  { context, transitions: states }: WriteState,
): RequestedTransition[] {
  if (states === null) return []
  const table = context.table(resource)
  return stateFields(resource).flatMap((field): RequestedTransition[] => {
    const inputs = changed.find((one) => one.field === field)
    return inputs === undefined ? [] : [{ field, from: table.decode(field, row) as string | null, to: inputs.value }]
  })
}

/** Reports transitions that the schema does not have. */
export function checkTransitionsExist(
  transitions: readonly RequestedTransition[],
  state: WriteState,
  problems: Problem[],
): void {
  for (const transition of transitions) {
    if (matchingTransitions(transition, state).length > 0) continue
    problems.push({ path: transition.field.name, code: 'STATE', message: noTransitionMessage(transition, state) })
  }
}

function noTransitionMessage({ field, from, to }: RequestedTransition, { transitions: states }: WriteState): string {
  if (from === null) return `has no state yet; it starts as ${field.stateMachine.start}.`
  const open = new Set(states!.get(field.name)!.flatMap((rule) => (rule.from === from ? rule.to : [])))
  const follows = open.size === 0 ? `nothing follows ${from}` : `${from} leads to ${[...open].join(', ')}`
  return `is ${from} and can't become ${to}: ${follows}.`
}

/** The `@next` rules that allow the transition. */
function matchingTransitions(
  { field, from, to }: RequestedTransition,
  { transitions: states }: WriteState,
): JobTransition[] {
  const { start } = field.stateMachine
  if (from === null) return to === start ? [{ from: start, to: [start], who: null, needs: [] }] : []
  return states!.get(field.name)!.filter((rule) => rule.from === from && rule.to.includes(String(to)))
}

/** `mayUpdate`: the viewer may update the row before the write. Unmet conditions go to `problems`. */
export function requireTransitions(
  transitions: readonly RequestedTransition[],
  next: StoredRow,
  mayUpdate: boolean,
  state: WriteState,
  problems: Problem[],
): QueryBatch<void> {
  if (transitions.length === 0) return ok
  const candidates = transitions.flatMap((transition) =>
    matchingTransitions(transition, state).map((rule) => ({ transition, rule })),
  )
  const { rules } = state
  const who = candidates.map(({ transition, rule }): Check => {
    if (rule.who !== null) return checkRow(rule.who, next.id)
    return mayUpdate && rules.canChangeField(transition.field.name, next.id)
  })
  const needs = candidates.flatMap(({ rule }) => rule.needs.map(({ check }) => checkNewRow(check, next)))
  return map(evaluateChecks([...who, ...needs]), (answers) => {
    let at = candidates.length
    const evaluated = candidates.map(({ transition, rule }, index) => {
      const unmet = rule.needs.filter(() => !answers[at++]).map(({ words }) => words)
      return { transition, rule, isGranted: answers[index]!, unmet }
    })
    for (const transition of transitions)
      checkTransition(
        transition,
        evaluated.filter((one) => one.transition === transition),
        state,
        problems,
      )
  })
}

interface EvaluatedTransition {
  rule: JobTransition
  /** Whether the rule grants the transition to this viewer. */
  isGranted: boolean
  unmet: (string | null)[]
}

function checkTransition(
  { field, from, to }: RequestedTransition,
  candidates: readonly EvaluatedTransition[],
  { rules }: WriteState,
  problems: Problem[],
): void {
  const { name, owner } = field
  const granted = candidates.filter(({ isGranted }) => isGranted)
  if (granted.length === 0) {
    if (rules.isAnonymous && candidates.every(({ rule }) => rule.who === false))
      throw signInRequired('update', owner.name)
    const message = `You may not make this ${owner.name} ${to}.`
    const problem: Problem = {
      path: name,
      code: 'READONLY',
      message,
      transition: { from: String(from), to: String(to) },
    }
    throw new ApiError('FORBIDDEN', message, { problems: [problem] })
  }
  if (granted.some(({ unmet }) => unmet.length === 0)) return
  const conditions = new Set(granted.map(({ unmet }) => describeUnmet(unmet)))
  const message = `is ${from} and can become ${to} only where ${[...conditions].join(', or ')}.`
  problems.push({ path: name, code: 'STATE', message })
}

function describeUnmet(unmet: readonly (string | null)[]): string {
  const words = unmet.map((one) => one ?? 'a condition holds that you may not read')
  return [...new Set(words)].join(' and ')
}

/** The row after the write, but with its previous states: the update rules check this row. */
export function withPreviousStates(
  next: StoredRow,
  row: StoredRow,
  transitions: readonly RequestedTransition[],
  { context }: WriteState,
): StoredRow {
  if (transitions.length === 0) return next
  const values = new Map(next.values)
  for (const { field } of transitions) {
    const { name } = context.table(field.owner).columns.get(field)!
    values.set(name, row.values.get(name)!)
  }
  return { ...next, values }
}
