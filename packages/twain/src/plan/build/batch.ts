// Several rows made in one transaction, from a REST array or a GraphQL list alike. Places begin with the number of the row.

import type { Resource } from '#model'
import type { Batch, Pick, SetMember, Write } from '../plan.ts'
import { planInput } from './input.ts'
import type { Draft } from './plan-builder.ts'

/** `answer` is what is given of each row; `place` is where the list stands. */
export function planCreates(
  inputs: readonly unknown[],
  of: Resource,
  answer: Pick[],
  draft: Draft,
  place: string,
): Batch {
  if (inputs.length === 0) draft.problem(place, 'LENGTH', 'must hold at least one row.')
  if (!draft.countRows(inputs.length)) {
    draft.problem(place, 'LENGTH', `holds ${inputs.length} rows; at most ${draft.mostRows} are made at once.`)
    return { kind: 'batch', writes: [] }
  }
  const create = (set: SetMember[]): Write => {
    return { kind: 'write', action: 'create', of, id: null, set, ifVersion: null, answer }
  }
  return {
    kind: 'batch',
    writes: inputs.map((input, index) => create(planInput(input, of, 'create', draft, String(index), false))),
  }
}
