// `distinct=author,status`: of the rows that have the same values in these fields, the first in the order of the page.

import { type Abstract, hasAggregates, isDistinctField, type Resource } from '#model'
import type { GroupedField, PageRead } from '../plan.ts'
import { maxGroupKeys } from './groups/group-keys.ts'
import { planGroupedField } from './groups/grouped-field.ts'
import type { PlanBuilder } from './plan-builder.ts'

/** `names` is absent if the request names none. The result is a part of the read. */
export function planDistinct(
  names: readonly string[] | undefined,
  of: Resource | Abstract,
  builder: PlanBuilder,
  place: string,
): Pick<PageRead, 'distinct'> {
  if (names === undefined || names.length === 0) return {}
  if (!hasAggregates(of)) {
    builder.problem(place, 'UNKNOWN', `is not for ${of.name}, a type of the server itself.`)
    return {}
  }
  if (names.length > maxGroupKeys)
    builder.problem(place, 'RANGE', `has ${names.length} fields; at most ${maxGroupKeys} are allowed.`)
  const seen = new Set<string>()
  const distinct = names.slice(0, maxGroupKeys).flatMap((name): GroupedField[] => {
    const target = planGroupedField([name], of, distinctEnd, builder, place)
    if (target === null) return []
    const field = target.through[0]?.field ?? target.field
    if (seen.has(field.name)) {
      builder.problem(place, 'UNKNOWN', `"${name}" is named twice.`)
      return []
    }
    seen.add(field.name)
    return [target]
  })
  return { distinct }
}

const distinctEnd = { accepts: isDistinctField, refusal: 'has no values that tell rows apart' }
