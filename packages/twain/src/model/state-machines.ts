// Fields that are state machines, and the name of the response field that lists the transitions that are open to the viewer.

import { namesOf } from './aliases.ts'
import type { Model, Resource, StoredField } from './model.ts'

export interface StateField extends StoredField {
  stateMachine: NonNullable<StoredField['stateMachine']>
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
  return field.stateMachine !== undefined
}

export function hasStateMachines(model: Model): boolean {
  return model.resources.some((resource) => stateFields(resource).length > 0)
}

/** `_statusTransitions` of `status`: the states that the viewer could write there now. */
export function transitionsName({ name }: { name: string }): string {
  return `_${name}Transitions`
}

/** The field whose transitions have this name. */
export function transitionFieldOf(of: Resource, name: string): StateField | undefined {
  return stateFields(of).find((field) => namesOf(field).some((one) => transitionsName({ name: one }) === name))
}
