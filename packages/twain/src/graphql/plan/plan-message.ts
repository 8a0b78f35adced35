// The root field `webhookMessage`: its argument, and what is selected of the message. `execute/` runs it.

import { messageTypes } from '#model/names'
import type { Visibility } from '#plan/build'
import { type SelectedField, subselections } from '../document/selection.ts'
import type { VariableValues } from '../input/argument-values.ts'
import { type ObjectMembers, type ObjectShape, planObjectShape } from './object-shape.ts'
import { type FieldArguments, type PlanContext, rootArguments } from './plan-context.ts'

export interface PlannedMessage {
  kind: 'message'
  key: string
  visibility: Visibility
  shape: ObjectShape
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

const objects: ObjectMembers = { [messageTypes.message]: { headers: messageTypes.header } }

export function planMessage(field: SelectedField, context: PlanContext): PlannedMessage {
  return {
    kind: 'message',
    key: field.key,
    visibility: context.builder.visibility,
    shape: planObjectShape(messageTypes.message, subselections(field), objects, context),
    bindArguments: rootArguments(field, context.schema.getQueryType()),
  }
}
