// A rule that names claims, for a class of viewers: the claims that these viewers have become values, which each of them binds.
//
// A missing claim makes a condition unknown, and what is unknown never grants anything. So the condition itself matches nothing,
// and a `not`, `none` or `every` around it matches nothing either. Another branch of an `or` still can.

import type { Where } from '../plan.ts'
import { someCondition, withConditions } from '../visit-plan.ts'
import { never } from './conditions.ts'
import type { ViewerClass } from './viewer-class.ts'

export function resolveClaims(where: Where, viewers: Pick<ViewerClass, 'claimShape'>): Where {
  switch (where.kind) {
    case 'compare':
      return resolveCompare(where, viewers) ?? never
    case 'not':
    case 'none':
      if (someCondition(where, (part) => part.kind === 'compare' && resolveCompare(part, viewers) === null))
        return never
      return withConditions(where, (inner) => resolveClaims(inner, viewers))
    default:
      return withConditions(where, (inner) => resolveClaims(inner, viewers))
  }
}

type Compare = Where & { kind: 'compare' }

/** Null if the viewers have no such claim. A list means `in`. */
function resolveCompare(where: Compare, viewers: Pick<ViewerClass, 'claimShape'>): Where | null {
  const { parameter, op } = where
  if (!('claim' in parameter)) return where
  const shape = viewers.claimShape(parameter)
  if (shape === 'none') return null
  if (shape === 'one') return where
  const listed = op === 'eq' ? 'in' : op === 'ne' ? 'notIn' : op
  return listed === 'in' || listed === 'notIn'
    ? { ...where, op: listed, parameter: { ...parameter, isList: true } }
    : null
}
