// A state field in the document: its machine for readers (`x-states`), and in words for people.

import { type StateField, type StoredField, transitionsName } from '#model'
import { describeTransitionActor } from '#plan/explain'
import { listOf, type NamedSchema, type OpenapiObject, schemaRef } from '../json-parts.ts'

/** `who`, `role` and `where` of a line are told as they are written. Nothing for any other field. */
export function stateMachineExtension(field: StoredField): OpenapiObject {
  const { stateMachine } = field
  if (stateMachine === undefined) return {}
  const moves = stateMachine.transitions.map((move): OpenapiObject => {
    const who = move.who?.kind === 'path' ? move.who.text : move.who?.kind
    return { from: move.from, to: move.to, who, role: move.role ?? undefined, where: move.where ?? undefined }
  })
  return { 'x-states': { start: stateMachine.start, moves } }
}

export function describeStateMachine({ stateMachine }: StoredField): string | null {
  if (stateMachine === undefined) return null
  const lines = stateMachine.transitions.map((move) => {
    const mover = describeTransitionActor(move)
    return `- \`${move.from}\` → ${move.to.map((state) => `\`${state}\``).join(', ')}${mover === '' ? '' : `: ${mover}`}`
  })
  return [`Starts as \`${stateMachine.start}\`, and goes from state to state:`, ...lines].join('\n')
}

/** What `fields=_statusTransitions` gives. */
export function transitionsProperty(field: StateField): NamedSchema {
  const states = field.type.kind === 'enum' ? schemaRef(field.type.enum.name) : {}
  const description = `The states that you could write to \`${field.name}\` now, by a write that changes nothing else.`
  return [transitionsName(field), { ...listOf(states), description }]
}
