// The errors of authentication.

import { ApiError } from '#base'

/** One message for every defect of a token, so that an attacker learns nothing from it (RFC 6750, 3.1). */
export function invalidToken(cause?: unknown): ApiError {
  return new ApiError('UNAUTHENTICATED', 'The token is not valid, or has expired.', {
    hint: 'Sign in again with POST /tokens (createToken), or send no authorization header.',
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    cause,
  })
}

/** The header has another scheme than `Bearer`, or none. */
export function noBearer(): ApiError {
  return new ApiError('UNAUTHENTICATED', 'The authorization header does not start with "Bearer ".', {
    hint: 'Send authorization: Bearer <token>: the word, one space, and the token.',
    headers: { 'www-authenticate': 'Bearer error="invalid_request"' },
  })
}

/** EventSource does not retry after this status. The page then requests another ticket. */
export function invalidTicket(): ApiError {
  return new ApiError('UNAUTHENTICATED', 'The ticket is invalid or was already used.', {
    hint: 'POST /tokens (createToken) with {"for": "stream"} creates another; pass the last event id as after= to continue.',
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  })
}

export function signInFirst(): ApiError {
  return new ApiError('UNAUTHENTICATED', 'Sign in first.', {
    hint: 'Send authorization: Bearer <token>; POST /tokens (createToken) creates one.',
    headers: { 'www-authenticate': 'Bearer' },
  })
}

/** The token of an external issuer is valid. */
export function noAccount(): ApiError {
  return new ApiError('UNAUTHENTICATED', 'The token is valid, but no account here belongs to it.', {
    hint: 'The operator can let tokens of this issuer create accounts with the setting auth.createAccounts.',
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  })
}

export function unverifiedAddress(): ApiError {
  return new ApiError('UNAUTHENTICATED', 'The issuer of the token has not verified its email.', {
    hint: 'Verify the address at the issuer, and get a new token.',
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  })
}

/** Without providers there are no codes of them. */
export function noProviders(): ApiError {
  return new ApiError('UNAUTHENTICATED', 'The code is wrong: nobody signs in with a provider here.', {
    hint: 'The operator can set auth.providers and auth.returnTo.',
    headers: { 'www-authenticate': 'Bearer' },
  })
}
