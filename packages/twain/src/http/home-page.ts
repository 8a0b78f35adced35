// The home page at `/`: the name of the service and the paths of its resources as JSON, or for browsers a page with links.
// Without GraphiQL the page is also at `/graphql`.

import type { HttpReply, HttpRequest } from '#base/http'
import type { Model } from '#model'
import { homePageHtml, stylePolicy } from './home-page-html.ts'

/** Only the page's own style and icon; no scripts and nothing from other origins. */
const policy =
  `default-src 'none'; style-src ${stylePolicy}; img-src 'self'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function homePage(request: HttpRequest, model: Model, hasGraphiql: boolean): HttpReply {
  const headers = { 'cache-control': 'no-cache', vary: 'accept' }
  if (!request.headers.accept?.includes('text/html')) {
    return {
      status: 200,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(directory(model)),
    }
  }
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      ...headers,
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
    },
    body: homePageHtml(model, { origin: originOf(request), hasGraphiql }),
  }
}

function directory(model: Model): object {
  const collections = [...model.resources, ...model.abstracts]
  return {
    name: model.service.name,
    description: model.service.description,
    graphql: '/graphql',
    docs: '/docs',
    openapi: '/openapi.json',
    rest: Object.fromEntries(collections.map(({ name, path }) => [name, `/${path}`])),
  }
}

/** The server's origin as the client sees it. An invalid `Host` is replaced. */
function originOf(request: HttpRequest): string {
  if (request.origin) return request.origin
  const host = request.headers.host ?? ''
  return `http://${/^[\w.:[\]-]+$/.test(host) ? host : 'localhost'}`
}
