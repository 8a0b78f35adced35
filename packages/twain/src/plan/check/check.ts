// The first stage of the engine: checks every value of a request against its parameter, and reports all problems at once.

import { hasEnoughProblems, type Problem, validationError } from '#base'
import type { Limits } from '../limit/limits.ts'
import { parametersOf } from '../parameters.ts'
import type { BoundPlan, CustomCall, Plan, SubscriptionPlan } from '../plan.ts'
import { checkParameter } from './check-parameter.ts'

/** The canonical values, by parameter index. Throws an ApiError that names every wrong place. */
export function check(
  { plan, values, places }: BoundPlan<Plan | SubscriptionPlan | CustomCall>,
  limits: Limits,
): unknown[] {
  const problems: Problem[] = []
  const canonical: unknown[] = new Array(values.length)
  for (const { index, accepts } of parametersOf(plan)) {
    canonical[index] = checkParameter(accepts, values[index], places[index] ?? '', limits, problems)
    if (hasEnoughProblems(problems)) break
  }
  if (problems.length > 0) throw validationError(problems)
  return canonical
}
