// `Idempotency-Key`: a request that is sent again with the same key is executed once and gets the first result again.
//
// The server stores neither the key nor the request, only hashes. The fingerprint is hashed with the key, so that a reader of
// the table can't test guesses of a body (a password, say).

import { createHash } from 'node:crypto'
import { ApiError } from '../errors/api-error.ts'
import type { Viewer } from './viewer.ts'

/** Identifies a request that is executed once. */
export interface IdempotencyKey {
  /** Hash of viewer, key and operation: one record for each. */
  id: string
  /** Hash of the key and the request. */
  fingerprint: string
}

/** A string of HTTP structured fields, or the same without quotes. */
const form = /^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x7e]{1,255}))$/

/** Reads the header, or the member of a body that replaces it; null without a key. */
export function readIdempotencyKey(header: string | undefined, where = 'The header Idempotency-Key'): string | null {
  if (header === undefined) return null
  const found = form.exec(header)
  const key = found?.[1] ?? found?.[2]
  if (key !== undefined) return key
  throw new ApiError('BAD_REQUEST', `${where} must be 1 to 255 visible characters of ASCII, alone or in quotes.`, {
    hint: 'A UUID is a good key: Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324".',
  })
}

/** `operation` is what the key is used for; `sent` must be the same in a repeated request. */
export function idempotencyKeyOf(
  key: string,
  viewer: Viewer,
  operation: string,
  sent: readonly (string | Uint8Array)[],
): IdempotencyKey {
  // Whoever acts as an account gets none of its results, and leaves none to it.
  const who = (viewer.acting === undefined ? viewer.account : null) ?? viewer.token ?? ''
  return { id: hashOf([who, key, operation]), fingerprint: hashOf([key, ...sent]) }
}

/** The key of one step of a request with several steps, each executed once. */
export function stepIdempotencyKey({ id, fingerprint: print }: IdempotencyKey, step: string): IdempotencyKey {
  return { id: hashOf([id, step]), fingerprint: print }
}

/** Adds more that must be the same in a repeated request. */
export function extendFingerprint({ id, fingerprint: print }: IdempotencyKey, sent: readonly string[]): IdempotencyKey {
  return { id, fingerprint: hashOf([print, ...sent]) }
}

/** Hashes each part with its length before it, so that no two lists of parts hash the same text. */
function hashOf(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    hash.update(`${bytes.length}:`).update(bytes)
  }
  return hash.digest('base64url')
}

/** The key was used for another request. */
export function idempotencyKeyReused(): ApiError {
  const message = 'This Idempotency-Key was used for another request.'
  return new ApiError('IDEMPOTENCY_KEY_REUSED', message, {
    hint: 'Use a new key for each new request.',
    problems: [{ path: '', code: 'IDEMPOTENCY', message }],
  })
}

/** The first request with this key is still running. */
export function requestInFlight(): ApiError {
  const message = 'A request with this Idempotency-Key is under way.'
  return new ApiError('CONFLICT', message, {
    hint: 'Send it again in a moment to get its answer.',
    headers: { 'retry-after': '1' },
    problems: [{ path: '', code: 'IDEMPOTENCY', message }],
  })
}
