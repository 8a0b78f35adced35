// Conditional requests (RFC 9110, 13; docs/reference/rest.md, R61–R64), in the order of 13.2.2: If-Match or else
// If-Unmodified-Since, then If-None-Match or else, for reads, If-Modified-Since. This file evaluates the preconditions of reads;
// the store evaluates those of a write, inside its transaction.

import { ApiError } from '#base'
import { entityTags, type HttpRequest, matchesEntityTag, parseHttpDate } from '#base/http'

/** What a write requires of the current row; a null member requires nothing. */
export interface WritePreconditions {
  presence: 'there' | 'none' | null
  versions: number[] | null
  otherVersions: number[] | null
  /** Milliseconds since 1970. */
  unmodifiedSince: number | null
}

type RequestHeaders = HttpRequest['headers']

export function readWritePreconditions({ headers }: Pick<HttpRequest, 'headers'>): WritePreconditions | null {
  const match = headers['if-match']
  const none = headers['if-none-match']
  const since = match === undefined ? parseHttpDate(headers['if-unmodified-since']) : null
  if (match === undefined && none === undefined && since === null) return null
  const required = match === undefined ? null : versionsIn('If-Match', match)
  const excluded = none === undefined ? null : versionsIn('If-None-Match', none)
  const isContradiction = required === 'any' && excluded === 'any'
  if (isContradiction || required?.length === 0) {
    throw new ApiError('PRECONDITION_FAILED', `No row can satisfy these preconditions: ${match}`)
  }
  return {
    presence: required === 'any' ? 'there' : excluded === 'any' ? 'none' : null,
    versions: required === 'any' ? null : required,
    otherVersions: excluded === 'any' || excluded?.length === 0 ? null : excluded,
    unmodifiedSince: since,
  }
}

/** RFC 9110, 14.5: a part would replace the whole row. */
export function expectWhole({ headers }: Pick<HttpRequest, 'headers'>): void {
  if (headers['content-range'] === undefined) return
  throw new ApiError('BAD_REQUEST', 'PUT replaces the whole row, not a part of it.', {
    hint: 'Leave out Content-Range, or change fields with PATCH.',
  })
}

/** A create has no current row, and a bulk write has many: their preconditions are an error instead of being ignored. */
export function expectNoPreconditions({ headers }: Pick<HttpRequest, 'headers'>, of: 'new' | 'many' = 'new'): void {
  const name = ['if-match', 'if-none-match', 'if-unmodified-since'].find((one) => headers[one] !== undefined)
  if (name === undefined) return
  if (of === 'new') {
    throw new ApiError('BAD_REQUEST', `${name} is not supported for a new row.`, {
      hint: 'PUT with If-None-Match: * creates a row under an id that you choose, if there is none.',
    })
  }
  throw new ApiError('BAD_REQUEST', `${name} is not supported for many rows: each has its own version.`, {
    hint: 'A row that changes at the same time is written only if it still matches the filter. Send the header with a write of one row.',
  })
}

/** Whether the client already has this representation (304). `modified`: milliseconds since 1970; null if not known. Throws a
 *  412 if a precondition fails. */
export function isNotModified(headers: RequestHeaders, etag: string, modified: number | null): boolean {
  const match = headers['if-match']
  if (match !== undefined) {
    if (match.trim() !== '*' && entityTags(match)?.includes(etag) !== true) throw preconditionFailed(etag)
  } else if (modified !== null && headers['if-unmodified-since'] !== undefined) {
    const since = parseHttpDate(headers['if-unmodified-since'])
    if (since !== null && wholeSecond(modified) > since) throw preconditionFailed(etag)
  }
  const none = headers['if-none-match']
  if (none !== undefined) return matchesEntityTag(etag, none)
  if (modified === null) return false
  const since = parseHttpDate(headers['if-modified-since'])
  return since !== null && wholeSecond(modified) <= since
}

function wholeSecond(time: number): number {
  return time - (time % 1000)
}

function preconditionFailed(etag: string): ApiError {
  return new ApiError('PRECONDITION_FAILED', `The representation has changed; its ETag is now ${etag}`)
}

/** The versions in a list of entity tags; `any` for `*`. */
function versionsIn(name: string, list: string): number[] | 'any' {
  if (list.trim() === '*') return 'any'
  const tags = entityTags(list)
  if (tags === null) {
    throw new ApiError('BAD_REQUEST', `${name} is not a list of entity tags: ${list}`, {
      hint: 'Send entity tags in double quotes, as the ETag header has them.',
    })
  }
  const allowsWeak = name === 'If-None-Match'
  const versions = tags.map((tag) => versionOf(allowsWeak ? tag.replace(/^W\//, '') : tag))
  return [...new Set(versions.filter((version) => version !== null))]
}

/** `"7-hash"` and `"7"` mean version 7. A weak tag never matches If-Match (RFC 9110, 8.8.3.2). */
function versionOf(tag: string): number | null {
  const match = /^"(\d{1,10})(?:-[^"]*)?"$/.exec(tag)
  return match === null ? null : Number(match[1])
}
