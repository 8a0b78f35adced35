// An operation that own code answers → a call, with what is asked of its answer.

import type { CustomOperation } from '#model'
import type { BoundPlan, CustomCall, Limits } from '#plan'
import { planArguments, resolveValues } from '#plan/build'
import type { SelectedField } from '../document/selection.ts'
import type { VariableValues } from '../input/argument-values.ts'
import type { PlanContext } from './plan-context.ts'
import { planCustomResult } from './plan-selection.ts'

export interface PlannedCustomField {
  kind: 'own'
  plan: CustomCall
  requestValues: readonly unknown[]
  places: readonly string[]
}

export function planCustomOperation(
  operation: CustomOperation,
  field: SelectedField,
  context: PlanContext,
  limits: Limits,
): PlannedCustomField {
  const { builder } = context
  const given = context.argumentsOf(field.node, operation.root)
  const args = planArguments(operation.args, builder, field.key, (name) => given.leaf(name))
  const result = planCustomResult(operation.type, field, context, field.key)
  builder.finish(limits)
  const { requestValues, places } = builder
  return { kind: 'own', plan: { kind: 'call', operation, args, result }, requestValues, places }
}

export function bindCustomCall(
  { plan, requestValues, places }: PlannedCustomField,
  variables: VariableValues,
): BoundPlan<CustomCall> {
  return { plan, values: resolveValues(requestValues, variables), places }
}
