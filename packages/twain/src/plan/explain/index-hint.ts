// The index that would help the database, for the slow-query log.

import { helpfulIndex, helpfulOrderIndex } from '../limit/aggregate-scan.ts'
import type { PageRead, Plan } from '../plan.ts'
import { visitPlan } from '../visit-plan.ts'

/** Null: an index serves the plan, or none would. */
export function indexHint(plan: Plan): string | null {
  const hints = new Set<string>()
  if (plan.kind === 'many' && plan.within === null) addPageHint(plan)
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

  function addPageHint(read: PageRead): void {
    if (read.distinct !== undefined) return
    const filter = helpfulIndex(read)
    const order = filter === null ? helpfulOrderIndex(read) : null
    if (filter !== null) hints.add(`An index would help the filter of ${read.of.list}: ${filter}.`)
    if (order !== null) hints.add(`An index would help the order of ${read.of.list}: ${order}.`)
  }
}
