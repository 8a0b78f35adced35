// A state field in the document: its machine for readers (`x-states`), and in words for people.

import { movesName, type StateField, type StoredField } from '#model'
import { spellMover } from '#plan'
import { listOf, type Parts, schemaRef } from '../json-parts.ts'

/** `who`, `role` and `where` of a line are told as they are written. Nothing for any other field. */
export function statesPart(field: StoredField): Parts {
  const { machine } = field
  if (machine === undefined) return {}
  const moves = machine.moves.map((move): Parts => {
    const who = move.who?.kind === 'path' ? move.who.text : move.who?.kind
    return { from: move.from, to: move.to, who, role: move.role ?? undefined, where: move.where ?? undefined }
  })
  return { 'x-states': { start: machine.start, moves } }
}

export function statesWords({ machine }: StoredField): string | null {
  if (machine === undefined) return null
  const lines = machine.moves.map((move) => {
    const mover = spellMover(move)
    return `- \`${move.from}\` → ${move.to.map((state) => `\`${state}\``).join(', ')}${mover === '' ? '' : `: ${mover}`}`
  })
  return [`Starts as \`${machine.start}\`, and goes from state to state:`, ...lines].join('\n')
}

/** What `fields=_statusMoves` gives. */
export function movesProperty(field: StateField): [name: string, schema: Parts] {
  const states = field.type.kind === 'enum' ? schemaRef(field.type.enum.name) : {}
  const description = `The states that you could write to \`${field.name}\` now, by a write that changes nothing else.`
  return [movesName(field), { ...listOf(states), description }]
}
