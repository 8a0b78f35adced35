// All parameters of a plan. The walk runs once for each plan that is cached and executed many times.

import type { Parameter } from './plan.ts'
import { type AnyPlan, visitPlan } from './visit-plan.ts'

const parametersByPlan = new WeakMap<AnyPlan, readonly Parameter[]>()

export function parametersOf(plan: AnyPlan): readonly Parameter[] {
  const remembered = parametersByPlan.get(plan)
  if (remembered !== undefined) return remembered
  const parameters: Parameter[] = []
  visitPlan(plan, { parameter: (parameter) => parameters.push(parameter) })
  if (plan.kind !== 'write' || plan.isKept === true) parametersByPlan.set(plan, parameters)
  return parameters
}
