// The arguments of a list or a connection → which rows, in which order, which page. Slots are added in one order on both
// faces, so that the same question is the same plan: first the filter, then the search, then the page (limit and offset, or first and
// after); what is picked of the rows comes behind them.

import type { Abstract, Resource } from '#model'
import type { PageRead } from '#plan'
import {
  defaultPageSize,
  keysetPage,
  offsetPage,
  type PlanBuilder,
  planOrder,
  planSearch,
  planWhere,
} from '#plan/build'
import type { FieldArguments, PlanContext } from './plan-context.ts'

export function planPage(
  of: Resource | Abstract,
  kind: 'list' | 'connection',
  given: FieldArguments,
  { builder }: PlanContext,
  place: string,
): Pick<PageRead, 'where' | 'order' | 'page'> {
  const filter = planWhere(given.tree('where'), of, builder, `${place}.where`)
  const where = planSearch(given.leaf('search'), filter, of, builder, `${place}.search`)
  const order = planOrder(orderKeys(given.value('orderBy'), `${place}.orderBy`, builder), of, builder)
  if (kind === 'list') {
    const places = { limit: `${place}.limit`, offset: `${place}.offset` }
    return { where, order, page: offsetPage(size('limit', defaultPageSize), size('offset', 0), builder, places) }
  }
  const places = { first: `${place}.first`, after: `${place}.after` }
  return {
    where,
    order,
    page: keysetPage(size('first', defaultPageSize), given.leaf('after'), of, order, builder, places),
  }

  function size(name: string, fallback: number): unknown {
    const leaf = given.leaf(name)
    return leaf === undefined ? fallback : leaf
  }
}

/** `[{createdAt: DESC}, {title: ASC}]`; each names one field (`@oneOf`), also where its direction is a variable: one that
 *  was not given names none (specification, section 3.10.1). */
function orderKeys(
  value: unknown,
  place: string,
  builder: PlanBuilder,
): { field: string; direction: string; place: string }[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((key: object, index) => {
    const named = Object.entries(key)
    if (named.length === 0) builder.problem(`${place}.${index}`, 'REQUIRED', 'must name one field, with a direction.')
    return named.map(([field, direction]) => ({
      field,
      direction: String(direction),
      place: `${place}.${index}.${field}`,
    }))
  })
}
