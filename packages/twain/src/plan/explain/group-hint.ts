// The index that would help the database with groups, for the slow-query log.

import { helpfulIndex } from '../limit/aggregate-scan.ts'
import type { Plan } from '../plan.ts'
import { visitPlan } from '../visit-plan.ts'

/** Null: the plan has no groups, or an index serves them, or no index would. */
export function groupHint(plan: Plan): string | null {
  const hints = new Set<string>()
  visitPlan(plan, {
    groups(read) {
      const index = helpfulIndex(read)
      if (index !== null) hints.add(`An index would help the groups of ${read.of.list}: ${index}.`)
    },
    page(read) {
      const index = read.distinct === undefined ? null : helpfulIndex(read)
      if (index !== null) hints.add(`An index would help the distinct rows of ${read.of.list}: ${index}.`)
    },
  })
  return hints.size === 0 ? null : [...hints].join(' ')
}
