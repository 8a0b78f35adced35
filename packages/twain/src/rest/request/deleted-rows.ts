// `deleted=only` and `deleted=with` of a list, `purge=true` of a delete: parameters of types with `@softDelete`.

import type { Model, Resource } from '#model'
import type { DeletedRows } from '#plan'
import type { PlanBuilder } from '#plan/build'
import type { ParsedRequest } from './parsed-request.ts'
import type { FilterParameter, ParsedQuery } from './query-string.ts'

const deletedParameter = 'deleted'
const purgeParameter = 'purge'

/** Whether the list takes the parameter. A type that does has no field of this name. */
export function takesDeleted({ route }: Pick<ParsedRequest, 'route'>): boolean {
  return route.kind === 'collection' && route.of.kind === 'resource' && route.of.softDelete !== undefined
}

export function isDeletedParameter({ key }: FilterParameter): boolean {
  return key === deletedParameter
}

/** Which deleted rows the list has, and its other filters. */
export function readDeleted(
  parsed: ParsedRequest,
  builder: PlanBuilder,
): { deleted?: DeletedRows; filters: readonly FilterParameter[] } {
  const { filters } = parsed.query
  if (!takesDeleted(parsed)) return { filters }
  const rows = readDeletedRows(filters, builder)
  return { ...(rows !== null && { deleted: { rows } }), filters: filters.filter((one) => !isDeletedParameter(one)) }
}

/** Null: no deleted rows. */
export function readDeletedRows(filters: readonly FilterParameter[], builder: PlanBuilder): DeletedRows['rows'] | null {
  const [sent, ...more] = filters.filter(isDeletedParameter)
  if (sent === undefined) return null
  if (more.length > 0) builder.problem(deletedParameter, 'UNKNOWN', 'appears more than once.')
  if (sent.text === 'only' || sent.text === 'with') return sent.text
  builder.problem(deletedParameter, 'TYPE', 'must be only or with.')
  return null
}

/** The parameters of an export, which has rows of several types. */
export function deletedParameters({ resources }: Pick<Model, 'resources'>): string[] {
  return resources.some(({ softDelete }) => softDelete !== undefined) ? [deletedParameter] : []
}

/** What a POST at a path below a row does to it; null if it creates a row of a list. */
export function rowAction({ route }: Pick<ParsedRequest, 'route'>): 'restore' | 'revert' | null {
  return route.kind === 'item' ? (route.action ?? null) : null
}

/** The parameters of a delete. */
export function deleteParameters({ softDelete }: Resource): string[] {
  return softDelete === undefined ? [] : [purgeParameter]
}

/** Whether the delete is final. */
export function readPurge({ filters }: ParsedQuery, of: Resource, builder: PlanBuilder): boolean {
  const [sent, ...more] = of.softDelete === undefined ? [] : filters.filter(({ key }) => key === purgeParameter)
  if (sent === undefined) return false
  if (more.length > 0) builder.problem(purgeParameter, 'UNKNOWN', 'appears more than once.')
  if (sent.text !== 'true' && sent.text !== 'false') builder.problem(purgeParameter, 'TYPE', 'must be true or false.')
  return sent.text === 'true'
}
