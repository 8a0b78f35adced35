// Errors at several places of one request, reported together.

import { ApiError, type Problem, validationError } from './api-error.ts'

export interface PlacedFailure {
  place: string
  error: ApiError
}

/** The first error, with the problems of all errors of the same code. */
export function placedError([first, ...others]: readonly [PlacedFailure, ...PlacedFailure[]]): ApiError {
  const { place, error } = first
  const { code, message, hint, headers, deniedRight } = error
  const problems = [first, ...others].filter((one) => one.error.code === code).flatMap(placed)
  const options = { hint, headers, place, deniedRight }
  if (error.problems.length === 0) return new ApiError(code, `${place}: ${message}`, { ...options, problems })
  const all = validationError(problems, code)
  return new ApiError(code, all.message, { ...options, problems: all.problems })
}

function placed({ place, error: { code, message, problems } }: PlacedFailure): Problem[] {
  if (problems.length === 0) return code === 'FORBIDDEN' ? [{ path: place, code: 'READONLY', message }] : []
  return problems.map((problem) => ({ ...problem, path: problem.path === '' ? place : `${place}.${problem.path}` }))
}

/** Runs the step for each item, also behind one that fails. Throws one ApiError that names all failed places. */
export function atEachPlace<Item extends { place: string }, Result>(
  items: readonly Item[],
  step: (item: Item, index: number) => Result,
): Result[] {
  const results: Result[] = []
  const failed: PlacedFailure[] = []
  for (const [index, item] of items.entries()) {
    try {
      results.push(step(item, index))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      failed.push({ place: item.place, error: error })
    }
  }
  const [first, ...others] = failed
  if (first !== undefined) throw placedError([first, ...others])
  return results
}
