// Conditional requests (RFC 9110, 13; docs/reference/rest.md, R61–R64), in the order of its 13.2.2: If-Match or else
// If-Unmodified-Since, then If-None-Match or else, when reading, If-Modified-Since. What a read finds is judged here; what a
// write asks of the row is judged by the store, in the write's own transaction.

import { ApiError, entityTags, type HttpRequest, matchesEntityTag } from '#base'
import { parseHttpDate } from './http-date.ts'

/** What a write asks of the row as it is; null: nothing. */
export interface WritePreconditions {
  presence: 'there' | 'none' | null
  versions: number[] | null
  otherVersions: number[] | null
  /** In milliseconds since 1970. */
  unmodifiedSince: number | null
}

type RequestHeaders = HttpRequest['headers']

export function readWritePreconditions({ headers }: Pick<HttpRequest, 'headers'>): WritePreconditions | null {
  const match = headers['if-match']
  const none = headers['if-none-match']
  const since = match === undefined ? parseHttpDate(headers['if-unmodified-since']) : null
  if (match === undefined && none === undefined && since === null) return null
  const wanted = match === undefined ? null : versionsIn('If-Match', match)
  const refused = none === undefined ? null : versionsIn('If-None-Match', none)
  const isContradiction = wanted === 'any' && refused === 'any'
  if (isContradiction || wanted?.length === 0) {
    throw new ApiError('PRECONDITION_FAILED', `No row can be as the conditions of the request want it: ${match}`)
  }
  return {
    presence: wanted === 'any' ? 'there' : refused === 'any' ? 'none' : null,
    versions: wanted === 'any' ? null : wanted,
    otherVersions: refused === 'any' || refused?.length === 0 ? null : refused,
    unmodifiedSince: since,
  }
}

/** A create has no row that it could ask something of: what it says of one is not ignored. */
export function expectNoPreconditions({ headers }: Pick<HttpRequest, 'headers'>): void {
  const name = ['if-match', 'if-none-match', 'if-unmodified-since'].find((one) => headers[one] !== undefined)
  if (name === undefined) return
  throw new ApiError('BAD_REQUEST', `${name} has no meaning for a row that is not there yet.`, {
    hint: 'PUT makes a row under an id of your own, with If-None-Match: * only where there is none.',
  })
}

/** Whether the client has this representation already: a 304 then. `modified` is in milliseconds since 1970, null when it
 *  is not known. Throws when the client wants another one than there is. */
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
  return new ApiError('PRECONDITION_FAILED', `The representation is another one by now: ${etag}`)
}

/** The versions of the tags; `any` for a star. */
function versionsIn(name: string, list: string): number[] | 'any' {
  if (list.trim() === '*') return 'any'
  const tags = entityTags(list)
  if (tags === null) {
    throw new ApiError('BAD_REQUEST', `${name} is not a list of entity tags: ${list}`, {
      hint: 'An entity tag stands in double quotes, as ETag gives it.',
    })
  }
  const isWeakEnough = name === 'If-None-Match'
  const versions = tags.map((tag) => versionOf(isWeakEnough ? tag.replace(/^W\//, '') : tag))
  return [...new Set(versions.filter((version) => version !== null))]
}

/** `"7-hash"` and `"7"` are of version 7. A weak tag never matches If-Match (RFC 9110, 8.8.3.2). */
function versionOf(tag: string): number | null {
  const match = /^"(\d{1,9})(?:-[^"]*)?"$/.exec(tag)
  return match === null ? null : Number(match[1])
}
