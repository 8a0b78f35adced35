// A plan whose values wait for a request. Adapters cache such plans: the next request of the same shape only binds its values.

import type { BoundPlan, DeprecatedNames } from '../plan.ts'
import type { AnyPlan } from '../visit-plan.ts'
import { resolveValues } from './request-value.ts'

/** What a builder collects beside a plan, or beside a part of one. */
export interface UnboundValues {
  /** By parameter index: a RequestValue, or a constant. */
  requestValues: readonly unknown[]
  places: readonly string[]
  deprecated: DeprecatedNames | undefined
}

export interface UnboundPlan<P extends AnyPlan> extends UnboundValues {
  plan: P
}

/** The plan with the values of this request. */
export function bindPlan<P extends AnyPlan>(
  { plan, requestValues, places, deprecated }: UnboundPlan<P>,
  request: unknown,
): BoundPlan<P> {
  const values = resolveValues(requestValues, request)
  return deprecated === undefined ? { plan, values, places } : { plan, values, places, deprecated }
}
