// The state machines of a model as Mermaid diagrams in Markdown: `twain print --states`.

import { type Model, type StateField, stateFields, type Transition } from '#model'
import { describeTransitionActor } from '#plan/explain'

/** One for each state field, under the field's name; empty where there is none. */
export function drawStateMachines({ resources }: Model): string {
  const fields = resources.flatMap(stateFields)
  return fields.map((field) => `## ${field.owner.name}.${field.name}\n\n${drawing(field)}\n`).join('\n')
}

function drawing({ type, stateMachine: { start, transitions } }: StateField): string {
  const states = type.kind === 'enum' ? type.enum.values.map(({ name }) => name) : []
  const ends = states.filter((state) => !transitions.some(({ from }) => from === state))
  return [
    '```mermaid',
    'stateDiagram-v2',
    // A state may have a name that is a word of Mermaid's.
    ...states.map((state) => `  state "${state}" as ${idOf(state)}`),
    `  [*] --> ${idOf(start)}`,
    ...transitions.flatMap((one) => one.to.map((to) => `  ${idOf(one.from)} --> ${idOf(to)}${labelOf(one)}`)),
    ...ends.map((state) => `  ${idOf(state)} --> [*]`),
    '```',
  ].join('\n')
}

function idOf(state: string): string {
  return `s_${state}`
}

/** In Mermaid a semicolon ends a statement, and a colon begins its label. */
function labelOf(transition: Transition): string {
  const label = describeTransitionActor(transition).replaceAll(/[;:]/g, ' ')
  return label === '' ? '' : ` : ${label}`
}
