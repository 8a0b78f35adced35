// The errors of reads that are too much for a store. Both stores use the same.

import { ApiError } from '#base'
import type { Resource } from '#model'

/** The server keeps a result in memory several times over until it is sent. */
export const maxResultBytes = 16 * 1024 * 1024

export function readCancelled(): ApiError {
  return new ApiError('UNAVAILABLE', 'The read was cut off.', { headers: { 'retry-after': '1' } })
}

export function resultTooLarge(): ApiError {
  return new ApiError('QUERY_TOO_COSTLY', `The answer would be larger than ${maxResultBytes >> 20} MiB.`, {
    hint: 'Ask for fewer rows, or for fewer fields of them, at once.',
  })
}

/** The error of a read that should have returned the written row. */
export function notReadBack(of: Resource, { code, message, hint, headers }: ApiError): ApiError {
  return new ApiError(code, `The ${of.name} was written, but not read back: ${message}`, { hint, headers })
}

export function readTimedOut(seconds: number): ApiError {
  return new ApiError('UNAVAILABLE', `The read took longer than ${seconds} s and was stopped.`, {
    hint: 'Filter and sort by fields that have an index, or ask for less at once.',
    headers: { 'retry-after': '5' },
  })
}
