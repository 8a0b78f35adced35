// What a read of either store returns: the result of its row, or the error of a read that is too much for the store.

import { ApiError } from '#base'
import type { Resource } from '#model'
import type { PlanResult, ReadPlan } from '#plan'

export type ReadResult = Extract<PlanResult, { kind: 'one' | 'many' }>

/** `row` is the row of a compiled read; `sql/read.ts` names its columns. A NULL text was too long (`Dialect.resultText`). */
export function toResult(plan: ReadPlan, row: unknown[] | null): ReadResult {
  if (plan.kind === 'one') {
    if (row === null) return { kind: 'one', text: null, version: 0 }
    const [text, version, id] = row as [string | null, number, string | undefined]
    if (text === null) throw resultTooLarge()
    return id === undefined ? { kind: 'one', text, version } : { kind: 'one', text, version, id }
  }
  const [text, found, more, total] = row as [string | null, boolean | number, boolean | number, number | null]
  if (found === false || found === 0)
    throw new ApiError('NOT_FOUND', `There is no such ${plan.within!.field.owner.name}.`)
  if (text === null) throw resultTooLarge()
  return { kind: 'many', text, more: more === true || more === 1, total }
}

/** The server keeps a result in memory several times over until it is sent. */
export const maxResultBytes = 16 * 1024 * 1024

export function readCancelled(): ApiError {
  return new ApiError('UNAVAILABLE', 'The read was cut off.', { headers: { 'retry-after': '1' } })
}

export function resultTooLarge(): ApiError {
  return new ApiError('QUERY_TOO_COSTLY', `The answer would be larger than ${maxResultBytes >> 20} MiB.`, {
    hint: 'Request fewer rows, or fewer fields of them, at once.',
  })
}

/** The error of a read that should have returned the written row. */
export function notReadBack(of: Resource, { code, message, hint, headers }: ApiError): ApiError {
  return new ApiError(code, `The ${of.name} was written, but not read back: ${message}`, { hint, headers })
}

export function readTimedOut(seconds: number): ApiError {
  return new ApiError('UNAVAILABLE', `The read took longer than ${seconds} s and was stopped.`, {
    hint: 'Filter and sort by fields that have an index, or ask for less at once. No index serves an order by fields of other rows or by counts.',
    headers: { 'retry-after': '5' },
  })
}
