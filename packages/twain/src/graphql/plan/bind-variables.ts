// A plan of a document, and the variables of a request → a bound plan.

import type { BoundPlan, FormerNames } from '#plan'
import { resolveValues } from '#plan/build'
import type { AnyPlan } from '#plan/explain'
import type { VariableValues } from '../input/argument-values.ts'

/** A plan whose values wait for the variables. */
export interface UnboundPlan<P extends AnyPlan> {
  plan: P
  requestValues: readonly unknown[]
  places: readonly string[]
  formerNames: FormerNames | undefined
}

export function bindVariables<P extends AnyPlan>(
  { plan, requestValues, places, formerNames }: UnboundPlan<P>,
  variables: VariableValues,
): BoundPlan<P> {
  const values = resolveValues(requestValues, variables)
  return formerNames === undefined ? { plan, values, places } : { plan, values, places, formerNames }
}
