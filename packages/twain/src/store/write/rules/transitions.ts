// A move of a state field, judged inside the write's transaction by the `@next` lines alone (product.md, section 3).
//
// 1. A create starts in the state in which the contract lets it start.
// 2. A line that names someone is itself the way in, by the row as it was; one that names nobody is for who may update the
//    row and the field.
// 3. What a line asks of the row is asked of the row as it would be.
// 4. A row without a state, which older rows may be, starts like a new one.

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

/** What a new row may not start as. */
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
      message: `starts as ${stateMachine.start}, and can't be given otherwise.`,
    })
  }
}

/** Of the fields that the write changes, those that are states. */
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

/** Moves that no line has. */
export function checkTransitionsExist(
  moves: readonly RequestedTransition[],
  state: WriteState,
  problems: Problem[],
): void {
  for (const move of moves) {
    if (matchingTransitions(move, state).length > 0) continue
    problems.push({ path: move.field.name, code: 'STATE', message: noTransitionMessage(move, state) })
  }
}

function noTransitionMessage({ field, from, to }: RequestedTransition, { transitions: states }: WriteState): string {
  if (from === null) return `has no state yet; it starts as ${field.stateMachine.start}.`
  const open = new Set(states!.get(field.name)!.flatMap((line) => (line.from === from ? line.to : [])))
  const follows = open.size === 0 ? `nothing follows ${from}` : `${from} leads to ${[...open].join(', ')}`
  return `is ${from} and can't become ${to}: ${follows}.`
}

/** The lines by which the move could be made. */
function matchingTransitions(
  { field, from, to }: RequestedTransition,
  { transitions: states }: WriteState,
): JobTransition[] {
  const { start } = field.stateMachine
  if (from === null) return to === start ? [{ from: start, to: [start], who: null, needs: [] }] : []
  return states!.get(field.name)!.filter((line) => line.from === from && line.to.includes(String(to)))
}

/** `mayUpdate`: the rules let the viewer update the row as it was. What the row would lack goes to `problems`. */
export function requireTransitions(
  moves: readonly RequestedTransition[],
  next: StoredRow,
  mayUpdate: boolean,
  state: WriteState,
  problems: Problem[],
): QueryBatch<void> {
  if (moves.length === 0) return ok
  const asked = moves.flatMap((move) => matchingTransitions(move, state).map((line) => ({ move, line })))
  const { rules } = state
  const who = asked.map(({ move, line }): Check => {
    if (line.who !== null) return checkRow(line.who, next.id)
    return mayUpdate && rules.canChangeField(move.field.name, next.id)
  })
  const needs = asked.flatMap(({ line }) => line.needs.map(({ check }) => checkNewRow(check, next)))
  return map(evaluateChecks([...who, ...needs]), (answers) => {
    let at = asked.length
    const judged = asked.map(({ move, line }, index) => {
      const lacks = line.needs.filter(() => !answers[at++]).map(({ words }) => words)
      return { move, line, isFor: answers[index]!, lacks }
    })
    for (const move of moves)
      checkTransition(
        move,
        judged.filter((one) => one.move === move),
        state,
        problems,
      )
  })
}

interface EvaluatedTransition {
  line: JobTransition
  /** Whether the line is for this viewer. */
  isFor: boolean
  lacks: (string | null)[]
}

function checkTransition(
  { field, from, to }: RequestedTransition,
  lines: readonly EvaluatedTransition[],
  { rules }: WriteState,
  problems: Problem[],
): void {
  const { name, owner } = field
  const ways = lines.filter(({ isFor }) => isFor)
  if (ways.length === 0) {
    if (rules.isUnknown && lines.every(({ line }) => line.who === false)) throw signInRequired('update', owner.name)
    const message = `You may not make this ${owner.name} ${to}.`
    throw new ApiError('FORBIDDEN', message, { problems: [{ path: name, code: 'READONLY', message }] })
  }
  if (ways.some(({ lacks }) => lacks.length === 0)) return
  const wanted = new Set(ways.map(({ lacks }) => describeUnmet(lacks)))
  const message = `is ${from} and can become ${to} only where ${[...wanted].join(', or ')}.`
  problems.push({ path: name, code: 'STATE', message })
}

function describeUnmet(lacks: readonly (string | null)[]): string {
  const words = lacks.map((one) => one ?? 'something holds that you may not read')
  return [...new Set(words)].join(' and ')
}

/** The row as it would be, but for its states: by this one the rules judge what else the write changes. */
export function withPreviousStates(
  next: StoredRow,
  row: StoredRow,
  moves: readonly RequestedTransition[],
  { context }: WriteState,
): StoredRow {
  if (moves.length === 0) return next
  const values = new Map(next.values)
  for (const { field } of moves) {
    const { name } = context.table(field.owner).columns.get(field)!
    values.set(name, row.values.get(name)!)
  }
  return { ...next, values }
}
