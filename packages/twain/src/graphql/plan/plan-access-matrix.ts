// The root field `accessMatrix`: its arguments, and what is selected of it. `execute/` runs it.

import { matrixTypes } from '#model/names'
import { type SelectedField, subselections } from '../document/selection.ts'
import type { VariableValues } from '../input/argument-values.ts'
import { type ObjectMembers, type ObjectShape, planObjectShape } from './object-shape.ts'
import { type FieldArguments, type PlanContext, rootArguments } from './plan-context.ts'

export interface PlannedAccessMatrix {
  kind: 'accessMatrix'
  key: string
  shape: ObjectShape
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

const objects: ObjectMembers = {
  [matrixTypes.matrix]: { entries: matrixTypes.entry },
  [matrixTypes.entry]: { rules: matrixTypes.rule },
}

export function planAccessMatrix(field: SelectedField, context: PlanContext): PlannedAccessMatrix {
  return {
    kind: 'accessMatrix',
    key: field.key,
    shape: planObjectShape(matrixTypes.matrix, subselections(field), objects, context),
    bindArguments: rootArguments(field, context.schema.getQueryType()),
  }
}
