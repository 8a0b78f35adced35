// The first step of the corridor: every value of a question against the slot that it fills, all problems at once.

import { isEnough, type Problem, validationError } from '#base'
import type { Limits } from '../limit/limits.ts'
import { slotsOf } from '../parameters.ts'
import type { Call, Plan, Question, Watch } from '../plan.ts'
import { checkFit } from './check-parameter.ts'

/** The canonical values, by slot index. Throws a Fault that names every place that is wrong. */
export function check({ plan, values, places }: Question<Plan | Watch | Call>, limits: Limits): unknown[] {
  const problems: Problem[] = []
  const canonical: unknown[] = new Array(values.length)
  for (const { index, fits } of slotsOf(plan)) {
    canonical[index] = checkFit(fits, values[index], places[index] ?? '', limits, problems)
    if (isEnough(problems)) break
  }
  if (problems.length > 0) throw validationError(problems)
  return canonical
}
