// The home page at `/`: the name of the service and the paths of its resources and custom operations as JSON, or for browsers a page with links.
// Without a query page the page is also at `/graphql`. Also the icon of the service at `/favicon.ico`.

import { type HttpReply, type HttpRequest, matchesEntityTag, notModified, pageTag } from '#base/http'
import type { Model } from '#model'
import {
  hasQueryPage,
  homePageHtml,
  methodAndPath,
  queryPagePath,
  type ServedPages,
  stylePolicy,
} from './home-page-html.ts'

export { hasQueryPage, queryPagePath, type ServedPages }

/** Only the page's own style and icon; no scripts and nothing from other origins. */
const policy =
  `default-src 'none'; style-src ${stylePolicy}; img-src 'self'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function homePage(request: HttpRequest, model: Model, pages: ServedPages): HttpReply {
  if (!request.headers.accept?.includes('text/html')) {
    return tagged(request, 'application/json', JSON.stringify(directory(model, request.basePath ?? '')))
  }
  const options = { origin: originOf(request), basePath: request.basePath ?? '', ...pages }
  return tagged(request, 'text/html; charset=utf-8', homePageHtml(model, options), {
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
  })
}

/** The page with its `ETag`, or 304. */
function tagged(request: HttpRequest, type: string, body: string, more: Record<string, string> = {}): HttpReply {
  const etag = pageTag(body)
  const headers = { etag, 'cache-control': 'no-cache', vary: 'accept', ...more }
  if (matchesEntityTag(etag, request.headers['if-none-match']))
    return notModified(headers, { type, length: body.length })
  return { status: 200, headers: { 'content-type': type, ...headers }, body }
}

function directory(model: Model, basePath: string): object {
  const collections = [...model.resources, ...model.views, ...model.abstracts]
  return {
    name: model.service.name,
    description: model.service.description,
    graphql: `${basePath}/graphql`,
    docs: `${basePath}/docs`,
    openapi: `${basePath}/openapi.json`,
    rest: Object.fromEntries(collections.map(({ name, path }) => [name, `${basePath}/${path}`])),
    ...(model.operations.length === 0
      ? {}
      : {
          operations: Object.fromEntries(
            model.operations.map((one) => [`${one.root}.${one.name}`, methodAndPath(one, basePath)]),
          ),
        }),
  }
}

/** For the commands on the page. Never from `Host`, which a client chooses. */
function originOf({ origin, localOrigin, basePath = '' }: HttpRequest): string {
  return (origin ?? localOrigin ?? 'http://127.0.0.1:4000') + basePath
}

/** One path that splits into two. */
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">' +
  '<rect width="32" height="32" rx="7" fill="#0b57d0"/>' +
  '<path d="M7 16h5c6 0 4-7 11-7M12 16c6 0 4 7 11 7" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round"/>' +
  '<circle cx="7" cy="16" r="3" fill="#fff"/></svg>'

const etag = pageTag(svg)

/** Browsers request `/favicon.ico` for any page, also when they show JSON. */
export function favicon(request: HttpRequest): HttpReply {
  const type = 'image/svg+xml'
  const headers = {
    etag,
    'cache-control': 'public, max-age=86400',
    'content-security-policy': "default-src 'none'",
    'x-content-type-options': 'nosniff',
  }
  if (matchesEntityTag(etag, request.headers['if-none-match']))
    return notModified(headers, { type, length: svg.length })
  return { status: 200, headers: { ...headers, 'content-type': type }, body: svg }
}
