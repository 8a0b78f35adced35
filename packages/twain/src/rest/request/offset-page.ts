// `limit` and `offset` of lists that no plan reads: deliveries of a webhook, background jobs.

import type { HttpRequest } from '#base/http'
import type { Limits } from '#plan'
import { checkOffset, checkPageSize, defaultPageSize, PlanBuilder } from '#plan/build'
import { expectParameters, parseQuery } from './query-string.ts'
import { textToValue } from './text-value.ts'

const int = { kind: 'scalar', name: 'Int' } as const

/** `others` are further parameters that the list takes. */
export function readOffsetPage(
  request: HttpRequest,
  limits: Limits,
  others: readonly string[] = [],
): { limit: number; offset: number } {
  const query = parseQuery(request.query)
  const builder = new PlanBuilder()
  builder.problems.push(...query.problems)
  expectParameters(query, ['limit', 'offset', ...others], builder)
  const { parameters: words } = query
  const size = words.limit === undefined ? defaultPageSize : textToValue(int, words.limit)
  const from = words.offset === undefined ? 0 : textToValue(int, words.offset)
  const limit = checkPageSize(size, limits, 'limit', builder.problems)
  const offset = checkOffset(from, limits, 'offset', builder.problems)
  builder.finish(limits)
  return { limit, offset }
}
