// A state field in the document: its state machine as data (`x-states`) and as text.

import { type StateField, type StoredField, transitionsName } from '#model'
import { describeTransitionActor } from '#plan/explain'
import { listOf, type NamedSchema, type OpenapiObject, schemaRef } from '../json-parts.ts'

/** `who`, `role` and `where` are as in the schema file. Empty for other fields. */
export function stateMachineExtension(field: StoredField): OpenapiObject {
  const { stateMachine } = field
  if (stateMachine === undefined) return {}
  const transitions = stateMachine.transitions.map((transition): OpenapiObject => {
    const who = transition.who?.kind === 'path' ? transition.who.text : transition.who?.kind
    return {
      from: transition.from,
      to: transition.to,
      who,
      role: transition.role ?? undefined,
      where: transition.where ?? undefined,
    }
  })
  return { 'x-states': { start: stateMachine.start, transitions } }
}

export function describeStateMachine({ stateMachine }: StoredField): string | null {
  if (stateMachine === undefined) return null
  const lines = stateMachine.transitions.map((transition) => {
    const actor = describeTransitionActor(transition)
    return `- \`${transition.from}\` → ${transition.to.map((state) => `\`${state}\``).join(', ')}${actor === '' ? '' : `: ${actor}`}`
  })
  return [`Starts as \`${stateMachine.start}\`. Allowed transitions:`, ...lines].join('\n')
}

/** The value of `fields=_statusTransitions`. */
export function transitionsProperty(field: StateField): NamedSchema {
  const states = field.type.kind === 'enum' ? schemaRef(field.type.enum.name) : {}
  const description = `The states that the viewer can now write to \`${field.name}\`, in a write that changes nothing else.`
  return [transitionsName(field), { ...listOf(states), description }]
}
