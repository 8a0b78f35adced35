// Fields that go from state to state, and the name under which an answer tells the moves that are open.

import type { Model, Resource, StoredField } from './model.ts'

export interface StateField extends StoredField {
  machine: NonNullable<StoredField['machine']>
}

const known = new WeakMap<Resource, readonly StateField[]>()

/** In the order of the file. */
export function stateFields(of: Resource): readonly StateField[] {
  const found = known.get(of)
  if (found !== undefined) return found
  const fields = [...of.fields.values()].filter((field) => field.kind === 'stored').filter(isState)
  known.set(of, fields)
  return fields
}

function isState(field: StoredField): field is StateField {
  return field.machine !== undefined
}

export function hasStates(model: Model): boolean {
  return model.resources.some((resource) => stateFields(resource).length > 0)
}

/** `_statusMoves` of `status`: the states that the viewer could write there now. */
export function movesName({ name }: { name: string }): string {
  return `_${name}Moves`
}

/** The field whose moves have this name. */
export function movesOf(of: Resource, name: string): StateField | undefined {
  return stateFields(of).find((field) => {
    return movesName(field) === name || (field.was !== undefined && movesName({ name: field.was }) === name)
  })
}
