// The row of a compiled read → the result. `sql/read.ts` names its columns.

import { ApiError } from '#base'
import type { PlanResult, ReadPlan } from '#plan'
import { resultTooLarge } from './read-errors.ts'

export type ReadResult = Extract<PlanResult, { kind: 'one' | 'many' }>

/** A NULL text was too long (`Dialect.resultText`). */
export function toResult(plan: ReadPlan, row: unknown[] | null): ReadResult {
  if (plan.kind === 'one') {
    if (row === null) return { kind: 'one', text: null, version: 0 }
    const [text, version] = row as [string | null, number]
    if (text === null) throw resultTooLarge()
    return { kind: 'one', text, version }
  }
  const [text, found, more, total] = row as [string | null, boolean | number, boolean | number, number | null]
  if (found === false || found === 0)
    throw new ApiError('NOT_FOUND', `There is no such ${plan.within!.field.owner.name}.`)
  if (text === null) throw resultTooLarge()
  return { kind: 'many', text, more: more === true || more === 1, total }
}
