// The same step at several places of one write: what fails at any of them is told for all at once, each at its own place.
// Those behind a place that fails are tried even so.

import { Fault, type Problem, validationFault } from '#base'
import type { Step } from './ask.ts'

interface Failed {
  place: string
  fault: Fault
}

export function* atAllPlaces<Item extends { place: string }, Result>(
  items: readonly Item[],
  step: (item: Item, index: number) => Step<Result>,
): Step<Result[]> {
  const results: Result[] = []
  const failed: Failed[] = []
  for (const [index, item] of items.entries()) {
    try {
      results.push(yield* step(item, index))
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault
      failed.push({ place: item.place, fault })
    }
  }
  const [first] = failed
  if (first !== undefined) throw together(first, failed)
  return results
}

/** The first one's, with the places of all that are of its kind. */
function together({ place, fault }: Failed, failed: readonly Failed[]): Fault {
  const { code, message, hint, headers } = fault
  const problems = failed.filter((other) => other.fault.code === code).flatMap(placed)
  if (fault.problems.length === 0) return new Fault(code, `${place}: ${message}`, { hint, headers, problems })
  const told = validationFault(problems, code)
  return new Fault(code, told.message, { hint, headers, problems: told.problems })
}

function placed({ place, fault: { code, message, problems } }: Failed): Problem[] {
  if (problems.length === 0) return code === 'FORBIDDEN' ? [{ path: place, code: 'READONLY', message }] : []
  return problems.map((problem) => ({ ...problem, path: problem.path === '' ? place : `${place}.${problem.path}` }))
}
