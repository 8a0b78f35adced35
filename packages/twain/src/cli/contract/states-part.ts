// The part `States and transitions` of the API contract, and the diagrams of `twain print --states`.

import { type Model, type StateField, stateFields, type Transition } from '#model'
import { describeTransitionActor } from '#plan/explain'
import { code, table } from './markdown.ts'

export function statesPart(model: Model): string {
  const fields = model.resources.flatMap(stateFields)
  if (fields.length === 0) {
    return 'No field of this service is a state machine (no enum has `@next`): a write may change any value of an enum to any other, if the rules of section 5 allow the write.\n'
  }
  const rows = fields.flatMap((field) =>
    field.stateMachine.transitions.flatMap((transition) =>
      transition.to.map((to) => [
        code(`${field.owner.name}.${field.name}`),
        code(transition.from),
        code(to),
        describeTransitionActor(transition) || 'every viewer that may update the row',
      ]),
    ),
  )
  const starts = fields.map(
    ({ owner, name, stateMachine }) => `\`${owner.name}.${name}\` starts as \`${stateMachine.start}\``,
  )
  return [
    `${starts.join('; ')}. A create with another state, and a transition that is not in the table, is a 409 \`CONFLICT\` (\`STATE\`) that names the possible states; a transition that the viewer may not make is a 403. Writing the current state again is no transition. Of several concurrent transitions from a state, one succeeds.\n`,
    table(['Field', 'From', 'To', 'Who, and when'], rows),
    drawStateMachines(model)
      .replaceAll(/^## /gm, '**')
      .replaceAll(/^(\*\*\S+)$/gm, '$1**'),
  ].join('\n')
}

/** Mermaid diagrams in Markdown, one for each state field; empty without state fields. */
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
