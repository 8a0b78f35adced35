// The icon of a service: one path that splits into two. Browsers request `/favicon.ico` for any page, also when they show
// JSON.

import { type HttpReply, type HttpRequest, matchesEntityTag, pageTag } from '#base/http'

const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">' +
  '<rect width="32" height="32" rx="7" fill="#0b57d0"/>' +
  '<path d="M7 16h5c6 0 4-7 11-7M12 16c6 0 4 7 11 7" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round"/>' +
  '<circle cx="7" cy="16" r="3" fill="#fff"/></svg>'

const etag = pageTag(svg)

export function favicon(request: HttpRequest): HttpReply {
  const headers = {
    etag,
    'cache-control': 'public, max-age=86400',
    'content-security-policy': "default-src 'none'",
    'x-content-type-options': 'nosniff',
  }
  if (matchesEntityTag(etag, request.headers['if-none-match'])) return { status: 304, headers, body: null }
  return { status: 200, headers: { ...headers, 'content-type': 'image/svg+xml' }, body: svg }
}
