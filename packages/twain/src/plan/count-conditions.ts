// How large a filter is: each comparison counts, and each road to other rows, since a statement can hold only so many.

import { unreachable } from '#base'
import type { Where } from './plan.ts'

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
      return 1 + (where.where === null ? 0 : countConditions(where.where))
    case 'compare':
    case 'null':
    case 'constant':
      return 1
    default:
      return unreachable(where)
  }
}
