// The size of a filter.

import { unreachable } from '#base'
import { membersOf } from '#model'
import type { Where } from '../plan.ts'

/** The size of a filter: its comparisons and its joins, since a SQL statement can hold only so many. A join to an interface or
 *  a union counts for each of its types, because the statement repeats the inner filter for each. What the filter says about
 *  one type counts once. */
export function countConditions(where: Where): number {
  const { shared, ofTypes } = count(where)
  return shared + ofTypes
}

interface ConditionCount {
  /** Conditions that the statement repeats for each type that a row may have. */
  shared: number
  /** Conditions on rows of one type. */
  ofTypes: number
}

function count(where: Where): ConditionCount {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.of.map(count).reduce(add, { shared: 0, ofTypes: 0 })
    case 'not':
      return count(where.of)
    case 'through':
    case 'some':
    case 'none': {
      const inner = where.where === null ? { shared: 0, ofTypes: 0 } : count(where.where)
      return { shared: membersOf(where.field.to).length * (1 + inner.shared) + inner.ofTypes, ofTypes: 0 }
    }
    case 'type':
      return where.where === undefined ? one : { shared: 0, ofTypes: 1 + countConditions(where.where) }
    case 'compare':
    case 'search':
    case 'null':
    case 'constant':
    case 'viewer':
    case 'live':
      return one
    default:
      return unreachable(where)
  }
}

const one: ConditionCount = { shared: 1, ofTypes: 0 }

function add(a: ConditionCount, b: ConditionCount): ConditionCount {
  return { shared: a.shared + b.shared, ofTypes: a.ofTypes + b.ofTypes }
}
