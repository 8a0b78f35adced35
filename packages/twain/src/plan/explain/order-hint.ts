// Why a read may be slow whatever indexes there are, for the slow-query log.

import { orderKeyName } from '../build/order.ts'
import type { Plan } from '../plan.ts'
import { visitPlan } from '../visit-plan.ts'

/** Null: an index could serve each order of the plan. */
export function orderHint(plan: Plan): string | null {
  const keys = new Set<string>()
  visitPlan(plan, {
    page({ of, order }) {
      for (const key of order)
        if (key.kind === 'referred' || key.kind === 'count')
          keys.add(`${of.name} by ${orderKeyName(key, ({ name }) => name)}`)
    },
  })
  if (keys.size === 0) return null
  return `No index serves the order of ${[...keys].join(', ')}: the database sorts all rows that match the filter.`
}
