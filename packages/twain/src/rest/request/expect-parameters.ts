// What takes no filters: one row, and a write. A parameter that has no meaning there is named, not ignored (R23).

import { didYouMean, type HttpRequest } from '#base'
import { defaultLimits } from '#plan'
import { PlanBuilder } from '#plan/build'
import { parseQuery, type Query, type Word } from './query-string.ts'

export function expectParameters({ words, filters }: Query, allowed: readonly Word[], builder: PlanBuilder): void {
  const given = new Set([...Object.keys(words), ...filters.map(({ key }) => key)])
  const instead = allowed.length === 0 ? 'this request takes none' : `there is ${allowed.join(', ')}`
  for (const name of given) {
    if (builder.isHopeless) break
    if ((allowed as readonly string[]).includes(name)) continue
    builder.problem(name, 'UNKNOWN', `is not a parameter here; ${instead}.${didYouMean(name, allowed)}`)
  }
}

/** Of a path that takes none at all. */
export function expectNoParameters({ query: text }: HttpRequest): void {
  const query = parseQuery(text)
  const builder = new PlanBuilder()
  builder.problems.push(...query.problems)
  expectParameters(query, [], builder)
  builder.finish(defaultLimits)
}
