// A request as the planners see it: its route, the ids in the path, the query parameters, and what the viewer can see.

import { ApiError } from '#base'
import type { IdempotencyKey } from '#base/http'
import { isView, type Resource } from '#model'
import type { Parameter, RowLocator } from '#plan'
import {
  currentValue,
  isPossibleId,
  keyType,
  type PlanBuilder,
  planKey,
  printKey,
  type RequestKeyPart,
  RequestValue,
  type Resolution,
  type Visibility,
} from '#plan/build'
import type { PreferredCount } from './headers.ts'
import type { ParsedQuery } from './query-string.ts'
import type { Route } from './route.ts'
import { textToValue } from './text-value.ts'

export interface ParsedRequest {
  route: Route
  /** The id in the path; empty for a collection, and for a row by its key. */
  id: string
  /** The values of the key in the path; empty for a row by its id. */
  keyValues: readonly string[]
  /** `{tagId}` of `/posts/{id}/tags/{tagId}`; empty for other routes. */
  linkedId: string
  query: ParsedQuery
  visibility: Visibility
  /** How the rows of a page are counted (`Prefer: count=exact`). Absent: they are not. */
  count?: PreferredCount | undefined
  /** To how many characters long texts and JSON of a page are shortened (`Prefer: cut=200`). Absent: they are not. */
  cut?: number | undefined
  /** Of a create with `onConflict` (`Prefer: resolution=…`). */
  resolution?: Resolution
  /** Of a write (R150). */
  idempotencyKey?: IdempotencyKey
}

/** The row of the path is not there, or the viewer can't see it. Nothing was written. */
export class RowNotFound extends ApiError {
  constructor(type: string, by: string) {
    super('NOT_FOUND', `There is no ${type} with ${by}.`)
  }
}

export function notFound(parsed: ParsedRequest): ApiError {
  const { route, id } = parsed
  const type = route.kind === 'nested' ? route.field.owner.name : route.of.name
  const by = hasKey(parsed) ? printRequestKey(keyParts(parsed)) : `the id "${id}"`
  return new RowNotFound(type, by)
}

/** By present names, as the store prints it. */
function printRequestKey(parts: readonly RequestKeyPart[]): string {
  return printKey(
    parts.map(({ field }) => field.name),
    parts.map(({ leaf }) => currentValue(leaf)),
  )
}

/** The resource that a write changes. Only routes of resources have write methods (route.ts). */
export function resourceOf({ route }: ParsedRequest): Resource {
  if (route.of.kind !== 'resource') throw new Error(`${route.of.name} can not be written to`)
  return route.of
}

/** Answers 404 without a query if no row can have this id (docs/reference/rest.md, R3). */
export function expectPossibleId(parsed: ParsedRequest): void {
  const { of } = parsed.route
  // The ids of a view are keys.
  if (!hasKey(parsed) && !isView(of) && !isPossibleId(parsed.id)) throw notFound(parsed)
}

/** Whether the path names the row by a unique key. */
export function hasKey({ route }: ParsedRequest): boolean {
  return 'by' in route && route.by !== undefined
}

/** The parts of the key in the path. */
export function keyParts({ route, keyValues }: ParsedRequest): RequestKeyPart[] {
  const by = 'by' in route ? (route.by ?? []) : []
  return by.map(({ field, name, at }) => {
    const read = (text: string) => textToValue(keyType(field), text)
    const leaf = new RequestValue(read(keyValues[at]!), (parsed: ParsedRequest) => read(parsed.keyValues[at]!))
    return { field, name, leaf, place: name }
  })
}

/** How the plan finds the row of the path. */
export function locateRow(parsed: ParsedRequest, of: Resource, builder: PlanBuilder): RowLocator {
  return hasKey(parsed) ? planKey(keyParts(parsed), of, builder) : { id: idParameter(parsed, builder) }
}

function idParameter(parsed: ParsedRequest, builder: PlanBuilder): Parameter {
  const leaf = new RequestValue(parsed.id, ({ id }: ParsedRequest) => id)
  return builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, leaf, 'id')
}
