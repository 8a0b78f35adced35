// A request as the planners see it: its route, the ids in the path, the query parameters, and what the viewer can see.

import { ApiError } from '#base'
import type { IdempotencyKey } from '#base/http'
import type { Resource } from '#model'
import type { Parameter } from '#plan'
import { isPossibleId, type PlanBuilder, RequestValue, type Visibility } from '#plan/build'
import type { ParsedQuery } from './query-string.ts'
import type { Route } from './route.ts'

export interface ParsedRequest {
  route: Route
  /** The id in the path; empty for a collection. */
  id: string
  /** `{tagId}` of `/posts/{id}/tags/{tagId}`; empty for other routes. */
  linkedId: string
  query: ParsedQuery
  visibility: Visibility
  /** Whether a page has the total number of rows (`Prefer: count=exact`). */
  isCounted?: boolean
  /** Of a write (R150). */
  idempotencyKey?: IdempotencyKey
}

export function notFound({ route, id }: ParsedRequest): ApiError {
  const type = route.kind === 'nested' ? route.field.owner.name : route.of.name
  return new ApiError('NOT_FOUND', `There is no ${type} with the id "${id}".`)
}

/** The resource that a write changes. Only routes of resources have write methods (route.ts). */
export function resourceOf({ route }: ParsedRequest): Resource {
  if (route.of.kind !== 'resource') throw new Error(`${route.of.name} can not be written to`)
  return route.of
}

/** Answers 404 without a query if no row can have this id (docs/reference/rest.md, R3). */
export function expectPossibleId(parsed: ParsedRequest): void {
  if (!isPossibleId(parsed.id)) throw notFound(parsed)
}

export function idParameter(parsed: ParsedRequest, builder: PlanBuilder): Parameter {
  const leaf = new RequestValue(parsed.id, ({ id }: ParsedRequest) => id)
  return builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, leaf, 'id')
}
