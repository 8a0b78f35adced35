// `If-Match` on a write: the version that the row must still have (RFC 9110, 13.1.1; docs/rest.md, R62). The store compares
// it in the write's own transaction.

import { entityTags, Fault, type HttpRequest } from '#base'

/** The version that the request names, or null when it names none. */
export function expectedVersion({ method, headers }: HttpRequest): number | null {
  if (headers['if-none-match'] !== undefined) {
    throw new Fault('BAD_REQUEST', 'If-None-Match on a write is not supported.', {
      hint: 'If-Match with the ETag of the row makes a write that changes only what was read.',
    })
  }
  const sent = headers['if-match']
  if (sent === undefined) return null
  if (sent.trim() === '*') return anyVersion(method)
  const tags = entityTags(sent)
  if (tags === null) {
    throw new Fault('BAD_REQUEST', `If-Match is not a list of entity tags: ${sent}`, {
      hint: 'An entity tag stands in double quotes, as ETag gives it.',
    })
  }
  const versions = new Set(tags.map(versionOf).filter((version) => version !== null))
  const [version] = versions
  if (versions.size > 1) throw new Fault('BAD_REQUEST', 'If-Match names several versions; a row has one.')
  if (version === undefined) throw new Fault('PRECONDITION_FAILED', `No row ever had the entity tag ${sent}.`)
  return version
}

/** PATCH and DELETE need the row anyway; a PUT would have to know first whether there is one. */
function anyVersion(method: string): null {
  if (method !== 'PUT') return null
  throw new Fault('BAD_REQUEST', 'If-Match: * on PUT is not supported.', { hint: 'Name the version, or use PATCH.' })
}

/** `"7-hash"` and `"7"` are of version 7. A weak tag never matches here (RFC 9110, 8.8.3.2). */
function versionOf(tag: string): number | null {
  const match = /^"(\d{1,10})(?:-[^"]*)?"$/.exec(tag)
  return match === null ? null : Number(match[1])
}
