// The HTTP reply to a GraphQL request: its media type by the `Accept` header, its headers, and 304 if the client has it already.

import { ApiError } from '#base'
import { chooseType, type HttpReply, type HttpRequest, matchesEntityTag, notModified, pageTag } from '#base/http'
import { deprecationHeaders } from '#plan/explain'
import type { GraphqlHeaders } from '../execute/cache-control.ts'
import type { OperationResponse } from '../operation-runner.ts'

export type MediaType = 'application/json' | 'application/graphql-response+json'

const offeredTypes = ['application/json', 'application/graphql-response+json', 'text/event-stream'] as const

/** Without the header the default of the draft "GraphQL over HTTP" since 2025. Clients that send a wildcard know nothing of it: they get
 *  `application/json`. */
export function chooseMediaType(accept: string | undefined): MediaType | 'text/event-stream' {
  if (accept === undefined) return 'application/graphql-response+json'
  const chosen = chooseType(accept, offeredTypes)
  if (chosen !== null) return chosen
  throw new ApiError('NOT_ACCEPTABLE', `Responses are ${offeredTypes.join(' or ')}; the request accepts none of them.`)
}

export function reply(
  request: HttpRequest,
  media: MediaType,
  response: OperationResponse,
  caching: GraphqlHeaders,
): HttpReply {
  const { text, cacheControl, isReplayed = false, deprecated = null, retryAfter = null } = response
  const headers = { ...caching }
  if (deprecated !== null) Object.assign(headers, deprecationHeaders(deprecated))
  if (cacheControl !== null) headers['cache-control'] = cacheControl
  if (isReplayed) headers['idempotent-replayed'] = 'true'
  if (retryAfter !== null) {
    return textReply(503, media, text, { ...headers, 'cache-control': 'no-store', 'retry-after': retryAfter })
  }
  if (request.method === 'POST' || cacheControl === 'no-store') return textReply(200, media, text, headers)
  const etag = pageTag(text)
  if (!matchesEntityTag(etag, request.headers['if-none-match'])) {
    return textReply(200, media, text, { ...headers, etag })
  }
  return notModified({ ...headers, etag }, { type: media, length: text.length })
}

export function textReply(status: number, media: MediaType, body: string, headers: GraphqlHeaders): HttpReply {
  return { status, headers: { 'content-type': `${media}; charset=utf-8`, ...headers }, body }
}
