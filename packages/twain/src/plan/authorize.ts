// The second step of the corridor, and the only maker of an AuthorizedPlan: the stores take nothing else.
// There is no account type yet, so there are no rules to put into a plan: everyone may do everything, and the start says so.

import type { Viewer } from '#base'
import type { Plan } from './plan.ts'

declare const authorized: unique symbol

/** A plan with the rules of the contract put into it. */
export type AuthorizedPlan<P extends Plan = Plan> = P & { readonly [authorized]: true }

export function authorize<P extends Plan>(plan: P, _viewer: Viewer): AuthorizedPlan<P> {
  return plan as AuthorizedPlan<P>
}
