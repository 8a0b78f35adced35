// `onConflict=slug` of a create: the unique key by which it finds a row that is there already (docs/reference/rest.md, R66).

import { didYouMean } from '#base'
import type { HttpRequest } from '#base/http'
import { type KeyField, type Resource, uniqueKeysOf } from '#model'
import { namesOf } from '#model/names'
import type { PlanBuilder, Resolution } from '#plan/build'
import type { ParsedRequest } from './parsed-request.ts'
import type { ParsedQuery } from './query-string.ts'

export const conflictParameter = 'onConflict'

/** The key, and what happens to a row that has it. */
interface Conflict {
  fields: readonly KeyField[]
  resolution: Resolution
}

/** Null: the request has no `onConflict`. Creates take no filters, so a field of this name is no other meaning of it. */
export function readConflict(
  { query, resolution }: ParsedRequest,
  of: Resource,
  builder: PlanBuilder,
): Conflict | null {
  const [sent, ...more] = query.filters.filter(({ key }) => key === conflictParameter)
  if (sent === undefined) return null
  if (more.length > 0) builder.problem(conflictParameter, 'UNKNOWN', 'appears more than once.')
  const names = sent.text.split(',')
  const keys = uniqueKeysOf(of)
  const key = keys.find(
    ({ fields }) => fields.length === names.length && fields.every((field) => isNamed(field, names)),
  )
  if (key !== undefined) {
    for (const field of key.fields) builder.noteName(names.find((name) => namesOf(field).includes(name))!, field, of)
    return { fields: key.fields, resolution: resolution ?? 'merge' }
  }
  const known = keys.map(({ fields }) => fields.map(({ name }) => name).join())
  const instead = known.length === 0 ? `${of.name} has none.` : `there is ${known.join(' and ')}.`
  builder.problem(
    conflictParameter,
    'UNKNOWN',
    `"${sent.text}" is not a unique key; ${instead}${didYouMean(sent.text, known)}`,
  )
  return { fields: [], resolution: 'merge' }
}

function isNamed(field: KeyField, names: readonly string[]): boolean {
  return namesOf(field).some((name) => names.includes(name))
}

/** The words of `Prefer: resolution=…`, as in PostgREST. */
const resolutions = { 'merge-duplicates': 'merge', 'ignore-duplicates': 'leave' } as const

/** The preference for rows that are there already; null: none is stated. */
export function preferredResolution({ headers: { prefer } }: Pick<HttpRequest, 'headers'>): Resolution | null {
  for (const preference of prefer?.split(/[,;]/) ?? []) {
    const [, word] = /^\s*resolution\s*=\s*"?(merge-duplicates|ignore-duplicates)"?\s*$/i.exec(preference) ?? []
    if (word !== undefined) return resolutions[word.toLowerCase() as keyof typeof resolutions]
  }
  return null
}

export function hasConflict({ filters }: ParsedQuery): boolean {
  return filters.some(({ key }) => key === conflictParameter)
}

/** `Preference-Applied` of a create with `onConflict` and a preference. */
export function appliedResolution({ query, resolution }: ParsedRequest): string | null {
  if (resolution === undefined || !hasConflict(query)) return null
  return `resolution=${resolution === 'leave' ? 'ignore' : 'merge'}-duplicates`
}
