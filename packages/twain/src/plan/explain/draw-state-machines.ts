// The state machines of a contract as Mermaid drawings in a Markdown text: `twain print --states`.

import { type Model, type Move, type StateField, stateFields } from '#model'
import { spellMover } from './describe-rule.ts'

/** One for each state field, under the field's name; empty where there is none. */
export function drawStates({ resources }: Model): string {
  const fields = resources.flatMap(stateFields)
  return fields.map((field) => `## ${field.owner.name}.${field.name}\n\n${drawing(field)}\n`).join('\n')
}

function drawing({ type, machine: { start, moves } }: StateField): string {
  const states = type.kind === 'enum' ? type.enum.values.map(({ name }) => name) : []
  const ends = states.filter((state) => !moves.some(({ from }) => from === state))
  return [
    '```mermaid',
    'stateDiagram-v2',
    // A state may have a name that is a word of Mermaid's.
    ...states.map((state) => `  state "${state}" as ${idOf(state)}`),
    `  [*] --> ${idOf(start)}`,
    ...moves.flatMap((move) => move.to.map((to) => `  ${idOf(move.from)} --> ${idOf(to)}${labelOf(move)}`)),
    ...ends.map((state) => `  ${idOf(state)} --> [*]`),
    '```',
  ].join('\n')
}

function idOf(state: string): string {
  return `s_${state}`
}

/** A line of a drawing ends at a semicolon, and its label begins at a colon. */
function labelOf(move: Move): string {
  const label = spellMover(move).replaceAll(/[;:]/g, ' ')
  return label === '' ? '' : ` : ${label}`
}
