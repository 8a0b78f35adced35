// The create of an account whose owner is not the caller: it takes no password.

import type { Resource } from '#model'
import type { Limits } from '../limit/limits.ts'
import type { BoundPlan, WritePlan } from '../plan.ts'
import type { Visibility } from '../visibility.ts'
import { planInput } from './input.ts'
import { PlanBuilder } from './plan-builder.ts'

/** Throws an ApiError with all problems of the input. */
export function planNewAccount(
  input: unknown,
  of: Resource,
  visibility: Visibility,
  limits: Limits,
): BoundPlan<WritePlan> {
  const builder = new PlanBuilder({ ...visibility, account: null }, undefined, limits.transaction)
  const set = planInput(input, of, 'create', builder, '', false)
  builder.finish(limits)
  return builder.bind({ kind: 'write', action: 'create', of, id: null, set, ifVersion: null, answer: [] })
}
