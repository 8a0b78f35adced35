// The root field `rowAccess`: its arguments, and what is selected of the answers. `execute/` runs it.

import { accessTypes } from '#model/names'
import type { Visibility } from '#plan/build'
import { type SelectedField, subselections } from '../document/selection.ts'
import type { VariableValues } from '../input/argument-values.ts'
import { type ObjectMembers, type ObjectShape, planObjectShape } from './object-shape.ts'
import { type FieldArguments, type PlanContext, rootArguments } from './plan-context.ts'

export interface PlannedAccess {
  kind: 'access'
  key: string
  visibility: Visibility
  shape: ObjectShape
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

const objects: ObjectMembers = {
  [accessTypes.access]: { viewer: accessTypes.viewer, answers: accessTypes.answer },
  [accessTypes.answer]: { rules: accessTypes.rule },
}

export function planAccess(field: SelectedField, context: PlanContext): PlannedAccess {
  return {
    kind: 'access',
    key: field.key,
    visibility: context.builder.visibility,
    shape: planObjectShape(accessTypes.access, subselections(field), objects, context),
    bindArguments: rootArguments(field, context.schema.getQueryType()),
  }
}
