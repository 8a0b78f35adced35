// The read of the rows that a migration visits: it finds mistakes of the filter, and counts the rows.

import { system } from '#base/http'
import type { Model, Resource } from '#model'
import { Authority, type AuthorizedPlan, check, defaultLimits, type PageRead } from '#plan'
import { offsetPage, PlanBuilder, planOrder, planWhere } from '#plan/build'

/** By id: a row that no longer matches after its change does not shift those that follow. */
export function whereAfter(where: object | null, last: string | null): object {
  return { and: [...(where === null ? [] : [where]), ...(last === null ? [] : [{ id: { gt: last } }])] }
}

/** A read of no rows, with their number. Throws an ApiError with all problems of the filter. */
export function planRowCount(where: object, of: Resource): { plan: PageRead; values: unknown[] } {
  const builder = new PlanBuilder()
  const filter = planWhere(where, of, builder, 'where')
  const order = planOrder([], of, builder)
  const page = offsetPage(0, 0, builder, { limit: 'limit', offset: 'offset' })
  builder.finish(defaultLimits)
  const shape: PageRead['shape'] = { kind: 'list', types: [{ of, selections: [] }], total: true }
  const plan: PageRead = { kind: 'many', of, within: null, where: filter, order, page, shape }
  return { plan, values: check({ plan, values: builder.values(), places: builder.places }, defaultLimits) }
}

/** The rows that a migration has not visited yet. */
export function leftRows(
  { type, where }: { type: Resource; where: object | null },
  last: string | null,
  model: Model,
): { plan: AuthorizedPlan<PageRead>; values: unknown[] } {
  const { plan, values } = planRowCount(whereAfter(where, last), type)
  return { plan: new Authority(model).authorize(plan, system), values }
}
