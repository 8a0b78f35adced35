// What a request asks for, as the planners see it: where, of which row, with which parameters, and what its viewer can see.

import { ApiError, type IdempotencyKey } from '#base'
import type { Resource } from '#model'
import type { Parameter } from '#plan'
import { isPossibleId, type PlanBuilder, RequestValue, type Visibility } from '#plan/build'
import type { ParsedQuery } from './query-string.ts'
import type { Route } from './route.ts'

export interface ParsedRequest {
  route: Route
  /** The id in the path; empty where the path has none. */
  id: string
  /** Of a link: the id at its other end. */
  linkedId: string
  query: ParsedQuery
  visibility: Visibility
  /** A write that is made once, however often it is sent (R150). */
  idempotencyKey?: IdempotencyKey
}

export function notFound({ route, id }: ParsedRequest): ApiError {
  const type = route.kind === 'nested' ? route.field.owner.name : route.of.name
  return new ApiError('NOT_FOUND', `There is no ${type} with the id "${id}".`)
}

/** Only collections of resources take writes (route.ts), and the target of a to-many is one. */
export function resourceOf({ route }: ParsedRequest): Resource {
  if (route.of.kind !== 'resource') throw new Error(`${route.of.name} can not be written to`)
  return route.of
}

/** What no row can have as its id is looked up nowhere. */
export function expectPossibleId(parsed: ParsedRequest): void {
  if (!isPossibleId(parsed.id)) throw notFound(parsed)
}

export function idParameter(parsed: ParsedRequest, builder: PlanBuilder): Parameter {
  const leaf = new RequestValue(parsed.id, ({ id }: ParsedRequest) => id)
  return builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, leaf, 'id')
}
