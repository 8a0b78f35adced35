// The id of a path (docs/reference/rest.md, R3).

import type { Parameter } from '#plan'
import { isPossibleId, type PlanBuilder, RequestValue } from '#plan/build'
import { notFound, type ParsedRequest } from './parsed-request.ts'

/** What no row can have as its id is looked up nowhere. */
export function expectPossibleId(asked: ParsedRequest): void {
  if (!isPossibleId(asked.id)) throw notFound(asked)
}

export function idSlot(asked: ParsedRequest, builder: PlanBuilder): Parameter {
  const leaf = new RequestValue(asked.id, ({ id }: ParsedRequest) => id)
  return builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, leaf, 'id')
}
