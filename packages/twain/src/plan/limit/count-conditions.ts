// The size of a filter.

import { unreachable } from '#base'
import { membersOf } from '#model'
import type { Where } from '../plan.ts'

/** The size of a filter: its comparisons and its joins, since a SQL statement can hold only so many. A join to an interface or
 *  a union counts for each of its types, because the statement repeats the inner filter for each. */
export function countConditions(where: Where): number {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.of.reduce((sum, part) => sum + countConditions(part), 0)
    case 'not':
      return countConditions(where.of)
    case 'through':
    case 'some':
    case 'none':
      return membersOf(where.field.to).length * (1 + (where.where === null ? 0 : countConditions(where.where)))
    case 'compare':
    case 'search':
    case 'null':
    case 'constant':
    case 'viewer':
    case 'live':
    case 'type':
      return 1
    default:
      return unreachable(where)
  }
}
