// What someone is told who is not who they say.

import { ApiError } from '#base'

/** One sentence for whatever is wrong with a token, so that nobody learns from it what would be right (RFC 6750, 3.1). */
export function invalidToken(cause?: unknown): ApiError {
  return new ApiError('UNAUTHENTICATED', 'The token is not valid, or not any more.', {
    hint: 'Sign in again with POST /tokens (createToken), or send no authorization header.',
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    cause,
  })
}

/** EventSource gives up when it hears this: its page then asks for another ticket. */
export function invalidTicket(): ApiError {
  return new ApiError('UNAUTHENTICATED', 'The ticket is not valid, or was used.', {
    hint: 'POST /tokens (createToken) with {"for": "stream"} gives another; after= then goes on behind the last event.',
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  })
}

export function signInFirst(): ApiError {
  return new ApiError('UNAUTHENTICATED', 'This needs someone who is signed in.', {
    hint: 'Send authorization: Bearer <token>; POST /tokens (createToken) gives one.',
    headers: { 'www-authenticate': 'Bearer' },
  })
}
