// Who may do what, by the rules of the schema file, for the role admin: `GET /docs/access` and `accessMatrix` in GraphQL. The adapters
// read the filters; this file decides who may ask.

import { didYouMean, type Problem, validationError } from '#base'
import type { Viewer } from '#base/http'
import { type Model, servedResources } from '#model'
import { type AccessEntry, accessEntries, callEntries, entryActions, viewerKinds } from '#plan/explain'
import { admitAccess } from './row-access.ts'

export interface AccessMatrix {
  /** The kinds of viewers that the rules tell apart. */
  viewers: string[]
  entries: AccessEntry[]
}

/** Null: all. */
export interface AccessFilters {
  /** The name of a type, also of one of the server itself, or `Query` or `Mutation`. */
  type: string | null
  /** A kind of viewer. */
  as: string | null
  action: string | null
}

export const accessFilters = ['type', 'as', 'action'] as const

/** `placeOf`: where the request has a filter. */
export function readAccessMatrix(
  filters: AccessFilters,
  placeOf: (filter: keyof AccessFilters) => string,
  asker: Viewer,
  model: Model,
): AccessMatrix {
  admitAccess(asker, model)
  const kinds = viewerKinds(model)
  const served = servedResources(model)
  const roots = [...new Set(model.operations.map(({ root }) => root))]
  const known = {
    type: [...served.map(({ name }) => name), ...roots],
    as: kinds.map(({ name }) => name),
    action: entryActions,
  }
  const problems: Problem[] = accessFilters.flatMap((filter) => {
    const sent = filters[filter]
    const names: readonly string[] = known[filter]
    if (sent === null || names.includes(sent)) return []
    const few = names.length <= 20 ? ` It must be one of ${names.join(', ')}.` : ''
    const message = `"${sent}" is unknown.${didYouMean(sent, [...names])}${few}`
    return [{ path: placeOf(filter), code: 'UNKNOWN' as const, message }]
  })
  if (problems.length > 0) throw validationError(problems)
  const chosen = kinds.filter(({ name }) => filters.as === null || name === filters.as)
  const { type } = filters
  const resources = type === null ? [...model.resources, ...model.views] : served.filter(({ name }) => name === type)
  const entries = [...accessEntries(model, chosen, resources), ...callEntries(model, chosen)]
  return {
    viewers: chosen.map(({ name }) => name),
    entries: entries.filter(
      (entry) => (type === null || entry.type === type) && (filters.action ?? entry.action) === entry.action,
    ),
  }
}
