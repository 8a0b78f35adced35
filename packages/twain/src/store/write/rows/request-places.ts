// Where a request names a field: most by the name of the field, some inside a member of their own.

import { ApiError } from '#base'
import { incrementMember, listMember } from '#model'
import type { Step } from '../steps/query-step.ts'
import type { JobField } from '../steps/write-job.ts'

/** The place of the field's value: `title`, `_increment.stock`, `_tags.connect`. */
export function placeOf({ field, change }: JobField): string {
  switch (change) {
    case 'increment':
      return `${incrementMember}.${field}`
    case 'connect':
    case 'disconnect':
      return `${listMember({ name: field })}.${change}`
    case 'created':
      return `${listMember({ name: field })}.create`
    default:
      return field
  }
}

/** Gives the errors of the step that name a field its place in the request. */
export function atRequestPlaces<T>(set: readonly JobField[], step: Step<T>): Step<T> {
  const places = new Map<string, string>()
  for (const one of set) {
    if (placeOf(one) === one.field) continue
    places.set(one.field, one.change === 'increment' ? placeOf(one) : listMember({ name: one.field }))
  }
  return places.size === 0 ? step : replacingPaths(places, step)
}

function* replacingPaths<T>(places: ReadonlyMap<string, string>, step: Step<T>): Step<T> {
  try {
    return yield* step
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, message, hint, headers, place, deniedRight } = error
    const problems = error.problems.map((problem) => ({ ...problem, path: places.get(problem.path) ?? problem.path }))
    throw new ApiError(code, message, { hint, headers, place, problems, deniedRight, cause: error })
  }
}
