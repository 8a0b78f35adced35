// Which ids a client may choose for a row (product.md, section 2). Those that the server makes are of this form too.

import type { PlanBuilder } from './plan-builder.ts'

export function isPossibleId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id)
}

export const possibleIdMessage = 'must be 1 to 64 letters, digits, "_" and "-" to be the id of a row.'

/** Of a replace, which may make a row under the id; elsewhere an impossible one just finds nothing. */
export function expectPossibleNewId(id: string, builder: PlanBuilder): void {
  if (!isPossibleId(id)) builder.problem('id', 'PATTERN', possibleIdMessage)
}
