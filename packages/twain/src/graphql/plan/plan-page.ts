// The arguments of a list or a connection → filter, order and page. REST adds its parameters in the same order, so that equal
// requests have equal plans: the filter, the search, the page (limit and offset, or first and after), then the selections.

import type { Abstract, Resource } from '#model'
import type { PageRead } from '#plan'
import {
  currentValue,
  keysetPage,
  offsetPage,
  orderEntries,
  pageSizeOf,
  planDistinct,
  planOrder,
  planSearch,
  planWhere,
} from '#plan/build'
import type { FieldArguments, PlanContext } from './plan-context.ts'

export function planPage(
  of: Resource | Abstract,
  kind: 'list' | 'connection',
  args: FieldArguments,
  { builder }: PlanContext,
  place: string,
): Pick<PageRead, 'deleted' | 'where' | 'order' | 'distinct' | 'page'> {
  const which = args.value('deleted') ?? null
  const deleted = which === null ? {} : { deleted: { rows: which === 'ONLY' ? ('only' as const) : ('with' as const) } }
  const filter = planWhere(filterTree(of, args), of, builder, `${place}.where`)
  const where = planSearch(args.leaf('search'), filter, of, builder, `${place}.search`)
  const order = planOrder(orderEntries(args.value('orderBy'), of, `${place}.orderBy`, builder), of, builder)
  const distinct = planDistinct(distinctNames(args), of, builder, `${place}.distinct`)
  if (kind === 'list') {
    const places = { limit: `${place}.limit`, offset: `${place}.offset` }
    return {
      ...deleted,
      where,
      order,
      ...distinct,
      page: offsetPage(size('limit', pageSizeOf(of)), size('offset', 0), builder, places, of),
    }
  }
  const places = { first: `${place}.first`, after: `${place}.after` }
  return {
    ...deleted,
    where,
    order,
    ...distinct,
    page: keysetPage(size('first', pageSizeOf(of)), args.leaf('after'), of, order, builder, places),
  }

  function size(name: string, defaultValue: number): unknown {
    const leaf = args.leaf(name)
    return leaf === undefined ? defaultValue : leaf
  }
}

function distinctNames(args: FieldArguments): string[] | undefined {
  const names = args.value('distinct')
  return Array.isArray(names) ? (names as string[]) : undefined
}

/** A list of the server itself may also take fields as arguments: `backgroundJobs(state: FAILED)`. */
function filterTree(of: Resource | Abstract, args: FieldArguments): unknown {
  const where = args.tree('where')
  const names = (of.kind === 'resource' && of.system?.listArguments) || []
  const equal = names
    .map((name): [string, unknown] => [name, args.leaf(name)])
    .filter(([, leaf]) => (currentValue(leaf) ?? null) !== null)
    .map(([name, leaf]) => ({ [name]: { eq: leaf } }))
  if (equal.length === 0) return where
  return { and: (currentValue(where) ?? null) === null ? equal : [where, ...equal] }
}
