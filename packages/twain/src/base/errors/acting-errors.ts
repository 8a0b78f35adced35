// What a session that acts as somebody is refused. The detail code tells it from a denial by a rule.

import { ApiError } from './api-error.ts'

/** The session may only read. */
export function readOnlySession(): ApiError {
  const hint =
    'Begin a session that may write with POST /tokens (createToken): {"as": …, "reason": "why"}. History and events will say who acted.'
  return actingError('This session acts as somebody else and may only read.', hint)
}

/** No session that acts may do it, with or without a reason. `what` follows "can't". */
export function neverWhileActing(what: string): ApiError {
  return actingError(`A session that acts as somebody else can't ${what}.`, 'Use your own token.')
}

function actingError(message: string, hint: string): ApiError {
  return new ApiError('FORBIDDEN', message, { hint, problems: [{ path: '', code: 'ACTING', message }] })
}
