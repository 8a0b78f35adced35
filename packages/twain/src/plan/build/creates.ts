// Creates several rows in one transaction, from a REST array or a GraphQL list. Places begin with the number of the row.

import type { Resource } from '#model'
import type { Selection, SetMember, WriteBatch, WritePlan } from '../plan.ts'
import { planInput } from './input.ts'
import type { PlanBuilder } from './plan-builder.ts'

/** `answer` is selected of each row; `place` is that of the list. */
export function planCreates(
  inputs: readonly unknown[],
  of: Resource,
  answer: Selection[],
  builder: PlanBuilder,
  place: string,
): WriteBatch {
  if (inputs.length === 0) builder.problem(place, 'LENGTH', 'must hold at least one row.')
  if (!builder.countRows(inputs.length)) {
    builder.problem(place, 'LENGTH', `holds ${inputs.length} rows; at most ${builder.maxRows} can be created at once.`)
    return { kind: 'batch', writes: [] }
  }
  const create = (set: SetMember[]): WritePlan => {
    return { kind: 'write', action: 'create', of, id: null, set, ifVersion: null, answer }
  }
  return {
    kind: 'batch',
    writes: inputs.map((input, index) => create(planInput(input, of, 'create', builder, String(index), false))),
  }
}
