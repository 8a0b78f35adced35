// The reply of the door: a response's text with its headers, or 304 where the client has it already.

import { type HttpReply, type HttpRequest, matchesEntityTag, pageTag } from '#base'
import { deprecationHeaders } from '#plan/explain'
import type { OperationResponse } from '../operation-runner.ts'
import type { MediaType } from './media-type.ts'

export type ReplyHeaders = Record<string, string>

export function reply(
  request: HttpRequest,
  media: MediaType,
  performed: OperationResponse,
  caching: ReplyHeaders,
): HttpReply {
  const { text, cacheControl: control, isReplayed: replayed = false, deprecated = null } = performed
  const headers = { ...caching }
  if (deprecated !== null) Object.assign(headers, deprecationHeaders(deprecated))
  if (control !== null) headers['cache-control'] = control
  if (replayed) headers['idempotent-replayed'] = 'true'
  if (request.method === 'POST' || control === 'no-store') return textReply(200, media, text, headers)
  const etag = pageTag(text)
  if (!matchesEntityTag(etag, request.headers['if-none-match']))
    return textReply(200, media, text, { ...headers, etag })
  return { status: 304, headers: { ...headers, etag }, body: null }
}

export function textReply(status: number, media: MediaType, body: string, headers: ReplyHeaders): HttpReply {
  return { status, headers: { 'content-type': `${media}; charset=utf-8`, ...headers }, body }
}
