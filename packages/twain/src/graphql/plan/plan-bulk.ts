// `updatePosts(where, input)` and `deletePosts(where)` → a bulk write. It is planned for each request: the filter decides which rows
// are written, so a variable that the request leaves out must not remove a condition.

import type { Resource } from '#model'
import type { BulkWrite, Limits } from '#plan'
import { orderEntries, type PlanBuilder, planBulk, planOrder, planWhere } from '#plan/build'
import type { FieldArguments } from './plan-context.ts'

export const bulkActions = { updateAll: 'update', deleteAll: 'delete' } as const

export function planBulkField(
  action: keyof typeof bulkActions,
  of: Resource,
  args: FieldArguments,
  builder: PlanBuilder,
  limits: Limits,
): BulkWrite {
  for (const name of args.missingVariables('where')) {
    builder.problem('where', 'REQUIRED', `uses the variable $${name}, which has no value.`)
  }
  const where = planWhere(args.value('where'), of, builder, 'where')
  const order = planOrder(orderEntries(args.value('orderBy'), of, 'orderBy', builder), of, builder)
  const limit = args.value('limit') ?? undefined
  const isAll = args.value('all') === true
  const input = action === 'updateAll' ? { tree: args.value('input'), merge: false } : undefined
  return planBulk(of, { where, order, limit, limitPlace: 'limit', isAll }, input, builder, limits)
}
