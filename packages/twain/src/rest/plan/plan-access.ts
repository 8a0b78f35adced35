// `GET /posts/{id}/access?as=…` → the row, as the asker may read it (docs/reference/rest.md, R320–R323).

import type { RowRead } from '#plan'
import type { PlanBuilder } from '#plan/build'
import { locateRow, type ParsedRequest } from '../request/parsed-request.ts'
import { expectParameters } from '../request/query-string.ts'

const asParameter = 'as'

export function planAccessRow(parsed: ParsedRequest, builder: PlanBuilder): RowRead {
  const { route, query } = parsed
  if (route.kind !== 'access') throw new Error(`a ${route.kind} has no rights`)
  const locator = locateRow(parsed, route.of, builder)
  expectParameters(query, [asParameter], builder)
  if (query.filters.filter(({ key }) => key === asParameter).length > 1)
    builder.problem(asParameter, 'UNKNOWN', 'appears more than once.')
  return { kind: 'one', of: route.of, ...locator, selections: [] }
}

/** As whom; null: as the asker. */
export function readAs({ query }: ParsedRequest): { text: string | null; place: string } {
  return { text: query.filters.find(({ key }) => key === asParameter)?.text ?? null, place: asParameter }
}
