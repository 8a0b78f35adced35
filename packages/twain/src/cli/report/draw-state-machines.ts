// Draws the state machines of a schema as Mermaid diagrams in Markdown, for `twain print --states`.

import { type Model, type StateField, stateFields, type Transition } from '#model'
import { describeTransitionActor } from '#plan/explain'

/** One diagram for each state field; empty without state fields. */
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
    // A state may have the name of a Mermaid keyword.
    ...states.map((state) => `  state "${state}" as ${idOf(state)}`),
    `  [*] --> ${idOf(start)}`,
    ...transitions.flatMap((transition) =>
      transition.to.map((to) => `  ${idOf(transition.from)} --> ${idOf(to)}${labelOf(transition)}`),
    ),
    ...ends.map((state) => `  ${idOf(state)} --> [*]`),
    '```',
  ].join('\n')
}

function idOf(state: string): string {
  return `s_${state}`
}

/** In Mermaid a semicolon ends the statement, and a colon starts the label. */
function labelOf(transition: Transition): string {
  const label = describeTransitionActor(transition).replaceAll(/[;:]/g, ' ')
  return label === '' ? '' : ` : ${label}`
}
