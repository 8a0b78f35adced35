// An Answer in HTTP's words: status, headers, and the JSON text as the store made it, unparsed (docs/rest.md, R50–R62)
// unless a field of it is refused. A tag is made of what this viewer sees.

import { type HttpReply, type HttpRequest, isKnown, itemTag, pageTag } from '#base'
import type { Answer, Many, Question } from '#plan'
import { type Asked, notFound } from './asked.ts'
import { acceptPatch } from './body.ts'
import type { Caching } from './caching.ts'
import { cursorLink, offsetLinks } from './link-header.ts'
import type { Method } from './route.ts'
import { seenText } from './seen-text.ts'

type Headers = HttpReply['headers']

const json = 'application/json; charset=utf-8'

export function representItem(request: HttpRequest, asked: Asked, answer: Answer, caching: Caching): HttpReply {
  if (answer.kind !== 'one') throw unexpected(answer)
  if (answer.text === null) throw notFound(asked)
  const text = seenText(answer.text, asked.sight)
  const etag = itemTag(answer.version, text)
  return representText(request, { etag, 'cache-control': caching.control, vary: caching.item }, etag, text)
}

export function representPage(
  request: HttpRequest,
  { query: { kept }, sight }: Asked,
  { plan, values }: Question<Many>,
  answer: Answer,
  caching: Caching,
): HttpReply {
  if (answer.kind !== 'many') throw unexpected(answer)
  const { more, total } = answer
  const text = seenText(answer.text, sight)
  const etag = pageTag(text)
  const headers: Headers = { etag, 'cache-control': caching.control, vary: caching.page }
  if (plan.page.kind === 'offset') {
    const limit = Number(values[plan.page.limit.index])
    const offset = Number(values[plan.page.offset.index])
    const links = offsetLinks(request.path, kept, { limit, offset, more })
    if (links !== null) headers.link = links
  } else {
    const next = nextCursor(text)
    const link = next === null ? null : cursorLink(request.path, kept, next)
    if (link !== null) headers.link = link
  }
  if (total !== null) {
    headers['x-total-count'] = String(total)
    headers['preference-applied'] = 'count=exact'
  }
  return representText(request, headers, etag, text)
}

export function representWritten({ route, sight }: Asked, answer: Answer): HttpReply {
  if (answer.kind !== 'written') throw unexpected(answer)
  const { id, version, created } = answer
  const text = seenText(answer.text, sight)
  const headers: Headers = { 'content-type': json, etag: itemTag(version, text) }
  if (created) headers.location = `/${route.of.path}/${encodeURIComponent(id)}`
  return { status: created ? 201 : 200, headers, body: text }
}

export function representDeleted(asked: Asked, answer: Answer): HttpReply {
  if (answer.kind !== 'deleted') throw unexpected(answer)
  if (!answer.found) throw notFound(asked)
  return { status: 204, headers: {}, body: null }
}

export function representOptions({ methods }: { methods: readonly Method[] }): HttpReply {
  const headers: Headers = { allow: methods.join(', ') }
  if (methods.includes('PATCH')) headers['accept-patch'] = acceptPatch
  return { status: 204, headers, body: null }
}

/** The text, or 304 when the client has it, or for HEAD only what would have been said about it. */
function representText(request: HttpRequest, headers: Headers, etag: string, text: string): HttpReply {
  if (isKnown(etag, request.headers['if-none-match'])) return { status: 304, headers, body: null }
  headers['content-type'] = json
  if (request.method !== 'HEAD') return { status: 200, headers, body: text }
  headers['content-length'] = String(Buffer.byteLength(text))
  return { status: 200, headers, body: null }
}

/** Where the next page of a connection starts; null when this is the last. `pageInfo` is the last member that is asked
 *  for (plan-read.ts), and inside a JSON string its quotes would be escaped, so the page itself need not be parsed. */
function nextCursor(text: string): string | null {
  const tail = text.slice(text.lastIndexOf('"pageInfo"'), -1)
  const { pageInfo } = JSON.parse(`{${tail}}`) as { pageInfo: { hasNextPage: boolean; endCursor: string | null } }
  return pageInfo.hasNextPage ? pageInfo.endCursor : null
}

function unexpected(answer: Answer): Error {
  return new Error(`the engine answered with "${answer.kind}", which was not asked for`)
}
