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
import { type Look, map, passed, settle, type Whether } from '../steps/query-step.ts'
import type { JobField, JobMove } from '../steps/write-job.ts'
import { passes, wouldPass } from './rules.ts'
import type { Writing } from './write-state.ts'

export interface Move {
  field: StateField
  from: string | null
  to: unknown
}

/** What a new row may not start as. */
export function checkStarts(
  resource: Resource,
  given: ReadonlyMap<string, JobField>,
  { states }: Writing,
  problems: Problem[],
): void {
  if (states === null) return
  for (const { name, stateMachine } of stateFields(resource)) {
    const start = given.get(name)
    if (start === undefined || start.value === stateMachine.start) continue
    problems.push({
      path: name,
      code: 'STATE',
      message: `starts as ${stateMachine.start}, and can't be given otherwise.`,
    })
  }
}

/** Of the fields that the write changes, those that are states. */
export function movesAmong(
  changed: readonly { field: { name: string }; value: unknown }[],
  row: StoredRow,
  resource: Resource,
  { context, states }: Writing,
): Move[] {
  if (states === null) return []
  const table = context.table(resource)
  return stateFields(resource).flatMap((field): Move[] => {
    const given = changed.find((one) => one.field === field)
    return given === undefined ? [] : [{ field, from: table.decode(field, row) as string | null, to: given.value }]
  })
}

/** Moves that no line has. */
export function checkListed(moves: readonly Move[], writing: Writing, problems: Problem[]): void {
  for (const move of moves) {
    if (linesOf(move, writing).length > 0) continue
    problems.push({ path: move.field.name, code: 'STATE', message: unlisted(move, writing) })
  }
}

function unlisted({ field, from, to }: Move, { states }: Writing): string {
  if (from === null) return `has no state yet; it starts as ${field.stateMachine.start}.`
  const open = new Set(states!.get(field.name)!.flatMap((line) => (line.from === from ? line.to : [])))
  const follows = open.size === 0 ? `nothing follows ${from}` : `${from} leads to ${[...open].join(', ')}`
  return `is ${from} and can't become ${to}: ${follows}.`
}

/** The lines by which the move could be made. */
function linesOf({ field, from, to }: Move, { states }: Writing): JobMove[] {
  const { start } = field.stateMachine
  if (from === null) return to === start ? [{ from: start, to: [start], who: null, needs: [] }] : []
  return states!.get(field.name)!.filter((line) => line.from === from && line.to.includes(String(to)))
}

/** `mayUpdate`: the rules let the viewer update the row as it was. What the row would lack goes to `problems`. */
export function requireMoves(
  moves: readonly Move[],
  next: StoredRow,
  mayUpdate: boolean,
  writing: Writing,
  problems: Problem[],
): Look<void> {
  if (moves.length === 0) return passed
  const asked = moves.flatMap((move) => linesOf(move, writing).map((line) => ({ move, line })))
  const { rules } = writing
  const who = asked.map(({ move, line }): Whether => {
    if (line.who !== null) return passes(line.who, next.id)
    return mayUpdate && rules.mayChange(move.field.name, next.id)
  })
  const needs = asked.flatMap(({ line }) => line.needs.map(({ check }) => wouldPass(check, next)))
  return map(settle([...who, ...needs]), (answers) => {
    let at = asked.length
    const judged = asked.map(({ move, line }, index) => {
      const lacks = line.needs.filter(() => !answers[at++]).map(({ words }) => words)
      return { move, line, isFor: answers[index]!, lacks }
    })
    for (const move of moves)
      judgeMove(
        move,
        judged.filter((one) => one.move === move),
        writing,
        problems,
      )
  })
}

interface Judged {
  line: JobMove
  /** Whether the line is for this viewer. */
  isFor: boolean
  lacks: (string | null)[]
}

function judgeMove({ field, from, to }: Move, lines: readonly Judged[], { rules }: Writing, problems: Problem[]): void {
  const { name, owner } = field
  const ways = lines.filter(({ isFor }) => isFor)
  if (ways.length === 0) {
    if (rules.isUnknown && lines.every(({ line }) => line.who === false)) throw signInRequired('update', owner.name)
    const message = `You may not make this ${owner.name} ${to}.`
    throw new ApiError('FORBIDDEN', message, { problems: [{ path: name, code: 'READONLY', message }] })
  }
  if (ways.some(({ lacks }) => lacks.length === 0)) return
  const wanted = new Set(ways.map(({ lacks }) => spellLacks(lacks)))
  const message = `is ${from} and can become ${to} only where ${[...wanted].join(', or ')}.`
  problems.push({ path: name, code: 'STATE', message })
}

function spellLacks(lacks: readonly (string | null)[]): string {
  const words = lacks.map((one) => one ?? 'something holds that you may not read')
  return [...new Set(words)].join(' and ')
}

/** The row as it would be, but for its states: by this one the rules judge what else the write changes. */
export function beforeMoves(next: StoredRow, row: StoredRow, moves: readonly Move[], { context }: Writing): StoredRow {
  if (moves.length === 0) return next
  const values = new Map(next.values)
  for (const { field } of moves) {
    const { name } = context.table(field.owner).columns.get(field)!
    values.set(name, row.values.get(name)!)
  }
  return { ...next, values }
}
