// `Idempotency-Key`: what is sent twice with the same key is made once, and answered twice with the same answer.
//
// Neither the key nor what was sent is kept: only hashes are, the second under the first, so that nobody who reads the table
// can try out what a body (a password, say) may have been.

import { createHash } from 'node:crypto'
import { ApiError } from '../errors/api-error.ts'
import type { Viewer } from './messages.ts'

/** A write that is made once. */
export interface IdempotencyKey {
  /** Of the viewer, the key and the operation: one record. */
  id: string
  /** Of the key and what was sent with it. */
  fingerprint: string
}

/** A text of HTTP's structured fields, or the same without quotes. */
const form = /^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x7e]{1,255}))$/

/** Of the header, or of what stands for it; null when there is none. */
export function readIdempotencyKey(given: string | undefined, where = 'The header Idempotency-Key'): string | null {
  if (given === undefined) return null
  const found = form.exec(given)
  const key = found?.[1] ?? found?.[2]
  if (key !== undefined) return key
  throw new ApiError('BAD_REQUEST', `${where} must be 1 to 255 visible characters of ASCII, alone or in quotes.`, {
    hint: 'A UUID is a good key: Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324".',
  })
}

/** `operation` is what the key is used for; `sent` is what must be the same when it comes again. */
export function idempotencyKeyOf(
  key: string,
  viewer: Viewer,
  operation: string,
  sent: readonly (string | Uint8Array)[],
): IdempotencyKey {
  const who = viewer.account ?? viewer.token ?? ''
  return { id: hashOf([who, key, operation]), fingerprint: hashOf([key, ...sent]) }
}

/** One of several steps that are made under one key, each once: known by its place and by what it is. */
export function stepIdempotencyKey({ id, fingerprint: print }: IdempotencyKey, step: string): IdempotencyKey {
  return { id: hashOf([id, step]), fingerprint: print }
}

/** More that must be the same when it comes again. */
export function extendFingerprint({ id, fingerprint: print }: IdempotencyKey, sent: readonly string[]): IdempotencyKey {
  return { id, fingerprint: hashOf([print, ...sent]) }
}

/** Each part with its length before it, so that no two lists of parts are one text. */
function hashOf(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    hash.update(`${bytes.length}:`).update(bytes)
  }
  return hash.digest('base64url')
}

/** The same key for something else. */
export function idempotencyKeyReused(): ApiError {
  return idempotencyError('This Idempotency-Key was used for another request.', 'Use a new key for each new request.')
}

/** The first request with this key is not answered yet. */
export function requestInFlight(): ApiError {
  const message = 'A request with this Idempotency-Key is under way.'
  return idempotencyError(message, 'Send it again in a moment to get its answer.', { 'retry-after': '1' })
}

function idempotencyError(message: string, hint: string, headers: Record<string, string> = {}): ApiError {
  return new ApiError('CONFLICT', message, { hint, headers, problems: [{ path: '', code: 'IDEMPOTENCY', message }] })
}
