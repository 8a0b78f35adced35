// The ids that a client may choose for a row (docs/reference/rest.md, R3). Generated ids have this form too.

import type { PlanBuilder } from './plan-builder.ts'

export function isPossibleId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id)
}

export const possibleIdMessage = 'must be 1 to 64 letters, digits, "_" and "-" to be the id of a row.'

/** For a replace, which may create a row with the id. Other requests just find no row with an impossible id. */
export function expectPossibleNewId(id: string, builder: PlanBuilder): void {
  if (!isPossibleId(id)) builder.problem('id', 'PATTERN', possibleIdMessage)
}
