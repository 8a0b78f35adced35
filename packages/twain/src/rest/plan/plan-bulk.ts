// `PATCH /posts?status=DRAFT` and `DELETE /posts?…` → a bulk write (docs/reference/rest.md, R67). Only filters, `sort` and `limit`
// name its rows. It is planned for each request.

import type { StoredType } from '#model'
import type { BoundPlan, BulkWrite, Limits } from '#plan'
import { PlanBuilder, planBulk, planOrder } from '#plan/build'
import { type ParsedRequest, resourceOf } from '../request/parsed-request.ts'
import { expectParameters, type FilterParameter } from '../request/query-string.ts'
import { textToValue } from '../request/text-value.ts'
import { planFilters } from './filters.ts'
import { sortKeys } from './plan-read.ts'

/** Parameters of these requests only. A field of such a name is filtered by `all[eq]=…`. */
const flags = ['all', 'dryRun'] as const

const takenParameters = ['where', 'sort', 'limit', ...flags]

interface PlannedBulk {
  boundPlan: BoundPlan<BulkWrite>
  isDryRun: boolean
}

/** `body`: undefined for a delete. */
export function planBulkRequest(
  parsed: ParsedRequest,
  body: { tree: unknown } | undefined,
  limits: Limits,
): PlannedBulk {
  const { query, visibility } = parsed
  const of = resourceOf(parsed)
  const builder = new PlanBuilder(visibility, undefined, limits.transaction)
  builder.problems.push(...query.problems)
  const filters = query.filters.filter(({ key }) => !isFlag(key))
  const { parameters } = query
  expectParameters({ ...query, filters: [] }, takenParameters, builder)
  const [isAll, isDryRun] = flags.map((name) => readFlag(name, query.filters, builder)) as [boolean, boolean]
  const where = planFilters(filters, of, builder, filters, takenParameters)
  const order = planOrder(sortKeys(parameters.sort, of, builder), of, builder)
  const limit = parameters.limit === undefined ? undefined : textToValue(intType, parameters.limit)
  const input = body && { tree: body.tree, merge: true }
  const plan = planBulk(of, { where, order, limit, limitPlace: 'limit', isAll }, input, builder, limits)
  return { boundPlan: builder.bind(plan), isDryRun }
}

const intType: StoredType = { kind: 'scalar', name: 'Int' }

function isFlag(key: string): boolean {
  return (flags as readonly string[]).includes(key)
}

function readFlag(name: string, filters: readonly FilterParameter[], builder: PlanBuilder): boolean {
  const [sent, ...more] = filters.filter(({ key }) => key === name)
  if (more.length > 0) builder.problem(name, 'UNKNOWN', 'appears more than once.')
  if (sent !== undefined && sent.text !== 'true' && sent.text !== 'false') {
    builder.problem(name, 'TYPE', 'must be true or false.')
  }
  return sent?.text === 'true'
}
