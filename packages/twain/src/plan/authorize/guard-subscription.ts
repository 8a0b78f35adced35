// Puts the access rules into a subscription: the guards of a read. The store evaluates them on the row before the change, after
// it, and as it is now.

import type { SubscriptionPlan } from '../plan.ts'
import { all, always, isAlways } from './conditions.ts'
import { guardSelections } from './guard-read.ts'
import { guardWhere } from './guard-where.ts'
import type { ViewerRules } from './viewer-rules.ts'

export function guardSubscription(plan: SubscriptionPlan, rules: ViewerRules): SubscriptionPlan {
  const { of } = plan
  const guard = rules.row(of, 'READ')
  const where = plan.where === null ? always : all([guardWhere(plan.where, of, rules)])
  const guarded = [...of.fields.values()].flatMap((field) => {
    const read = rules.field(field, 'READ')
    return isAlways(read) ? [] : [{ field, guard: read }]
  })
  return {
    ...plan,
    where: isAlways(where) ? null : where,
    selections: guardSelections(plan.selections, of, rules, { isReadable: true, reachedBy: null }),
    ...(isAlways(guard) ? {} : { guard }),
    ...(guarded.length === 0 ? {} : { guarded }),
  }
}
