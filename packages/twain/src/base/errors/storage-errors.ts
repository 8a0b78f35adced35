// Failures of what bytes are stored in. The detail codes tell them from bugs and from an outage.

import { ApiError } from './api-error.ts'

/** Bytes are missing, or are not what was written. Only the operator can mend it. */
export function damagedData(message: string, cause?: unknown): ApiError {
  return new ApiError('INTERNAL', message, {
    hint: 'The operator can find out what is damaged with twain doctor --deep, and restore a backup.',
    problems: [{ path: '', code: 'DAMAGED', message }],
    cause,
  })
}

export function fullStorage(cause?: unknown): ApiError {
  const message = 'The disk of the server is full; nothing was written.'
  return new ApiError('UNAVAILABLE', message, {
    hint: 'The operator must free some space. Then writes succeed again without a restart.',
    problems: [{ path: '', code: 'FULL', message }],
    headers: { 'retry-after': '5' },
    cause,
  })
}
