// The same step for several rows of one write: what fails in any of them is told for all at once, each at its own place.

import { Fault, type Problem, validationFault } from '#base'

/** Faults of one code are told together; of several codes the first. */
export function atAllPlaces<Item extends { place: string }, Result>(
  items: readonly Item[],
  step: (item: Item, index: number) => Result,
): Result[] {
  const results: Result[] = []
  const faults: { place: string; fault: Fault }[] = []
  for (const [index, item] of items.entries()) {
    try {
      results.push(step(item, index))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      faults.push({ place: item.place, fault: error })
    }
  }
  const [first] = faults
  if (first === undefined) return results
  const { code, message, hint, headers } = first.fault
  const problems = faults.filter(({ fault }) => fault.code === code).flatMap(placed)
  if (code === 'VALIDATION_FAILED' || code === 'CONFLICT') throw validationFault(problems, code)
  throw new Fault(code, message, { problems, hint, headers })
}

function placed({ place, fault: { message, problems } }: { place: string; fault: Fault }): Problem[] {
  if (problems.length === 0) return [{ path: place, code: 'READONLY', message }]
  return problems.map((problem) => ({ ...problem, path: `${place}.${problem.path}` }))
}
