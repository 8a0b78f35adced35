// What is told of changes, held to the rules: the same guards as those of a read, to be asked of the row as it was before
// the change, as it was after it, and as it is now.

import type { SubscriptionPlan } from '../plan.ts'
import { all, always, isAlways } from './conditions.ts'
import { guardSelections } from './guard-read.ts'
import { guardWhere } from './guard-where.ts'
import type { ViewerRules } from './viewer-rules.ts'

export function guardSubscription(watch: SubscriptionPlan, rules: ViewerRules): SubscriptionPlan {
  const { of } = watch
  const guard = rules.row(of, 'READ')
  const where = watch.where === null ? always : all([guardWhere(watch.where, of, rules)])
  const guarded = [...of.fields.values()].flatMap((field) => {
    const read = rules.field(field, 'READ')
    return isAlways(read) ? [] : [{ field, guard: read }]
  })
  return {
    ...watch,
    where: isAlways(where) ? null : where,
    selections: guardSelections(watch.selections, of, rules, { isReadable: true, reachedBy: null }),
    ...(isAlways(guard) ? {} : { guard }),
    ...(guarded.length === 0 ? {} : { guarded }),
  }
}
