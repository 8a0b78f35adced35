// Decides a condition by the type of the row alone. Over an interface or a union each member type has its own rules (`and` of
// a type and a rule), and a filter may be about one type; the compiler skips those of other types, whose fields this type does
// not have.

import { unreachable } from '#base'
import type { Resource } from '#model'
import type { Where } from '#plan'
import type { Layout } from '../tables/layout.ts'

/** Null if the type alone does not decide it. */
export function foldByType(where: Where, resource: Resource, layout: Layout): boolean | null {
  switch (where.kind) {
    case 'type':
      if (where.of !== resource) return false
      return where.where === undefined ? true : foldByType(where.where, resource, layout)
    case 'viewer':
      return resource === layout.account ? null : false
    case 'search':
      return where.fields.some(({ field }) => field.owner === resource) ? null : false
    case 'not': {
      const inner = foldByType(where.of, resource, layout)
      return inner === null ? null : !inner
    }
    case 'and':
    case 'or': {
      const parts = where.of.map((part) => foldByType(part, resource, layout))
      const decisive = where.kind === 'or'
      if (parts.includes(decisive)) return decisive
      return parts.length > 0 && !parts.includes(null) ? !decisive : null
    }
    case 'constant':
    case 'compare':
    case 'live':
    case 'null':
    case 'through':
    case 'some':
    case 'none':
      return null
    default:
      return unreachable(where)
  }
}
