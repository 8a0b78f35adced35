// Reads the parameters of a path that is no collection: each once, by its name.

import type { HttpRequest } from '#base/http'
import { defaultLimits } from '#plan'
import { PlanBuilder } from '#plan/build'
import { expectParameters, parseQuery } from './query-string.ts'

/** Throws an ApiError with all problems. */
export function readParameters(request: HttpRequest, names: readonly string[]): Record<string, string> {
  const query = parseQuery(request.query)
  const builder = new PlanBuilder()
  builder.problems.push(...query.problems)
  expectParameters(query, names, builder)
  const sent = new Map(Object.entries(query.parameters))
  for (const { key, text } of query.filters) {
    if (sent.has(key)) builder.problem(key, 'UNKNOWN', 'appears more than once.')
    sent.set(key, text)
  }
  builder.finish(defaultLimits)
  return Object.fromEntries(sent)
}
