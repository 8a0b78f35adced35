// The root fields `servedSchema` and `schemaChanges`: their arguments, and what is selected. `execute/` runs them.

import { schemaFields, schemaTypes } from '#model/names'
import { type SelectedField, subselections } from '../document/selection.ts'
import type { VariableValues } from '../input/argument-values.ts'
import { type ObjectMembers, type ObjectShape, planObjectShape } from './object-shape.ts'
import { type FieldArguments, type PlanContext, rootArguments } from './plan-context.ts'

export interface PlannedSchema {
  kind: 'schema'
  key: string
  action: keyof typeof schemaFields
  shape: ObjectShape
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

const objects: ObjectMembers = {
  [schemaTypes.served]: {
    types: schemaTypes.type,
    fields: schemaTypes.field,
    rules: schemaTypes.rule,
    transitions: schemaTypes.transition,
    dependencies: schemaTypes.dependency,
    files: schemaTypes.file,
    pending: schemaTypes.pending,
    uses: schemaTypes.use,
  },
  [schemaTypes.pending]: { files: schemaTypes.file, mistakes: schemaTypes.mistake },
  [schemaTypes.changes]: { differences: schemaTypes.change, mistakes: schemaTypes.mistake },
}

/** As over REST: the schema has an entity tag, but not its uses and comparisons. */
export function isUncached({ action, shape }: PlannedSchema): boolean {
  return action === 'changes' || selectsUses(shape)
}

export function selectsUses({ members }: ObjectShape): boolean {
  return members.some(({ name }) => name === 'uses' || name === 'since')
}

/** Null: the field is another one. */
export function planSchema(field: SelectedField, context: PlanContext): PlannedSchema | null {
  const action = field.name === schemaFields.served ? 'served' : field.name === schemaFields.changes ? 'changes' : null
  if (action === null) return null
  return {
    kind: 'schema',
    key: field.key,
    action,
    shape: planObjectShape(schemaTypes[action], subselections(field), objects, context),
    bindArguments: rootArguments(field, context.schema.getQueryType()),
  }
}
