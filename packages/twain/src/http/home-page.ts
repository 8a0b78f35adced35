// What stands at `/`, and at `/graphql` for a browser that asks nothing: the name of the service, where its two faces are, and one command to try each.

import { encodeHtml as encode, type HttpReply, type HttpRequest } from '#base'
import type { Model } from '#model'

export function homePage(request: HttpRequest, model: Model): HttpReply {
  const wantsPage = request.headers.accept?.includes('text/html') ?? false
  return {
    status: 200,
    headers: {
      'content-type': wantsPage ? 'text/html; charset=utf-8' : 'application/json',
      'cache-control': 'no-cache',
      vary: 'accept',
      ...(wantsPage ? pageHeaders : {}),
    },
    body: wantsPage ? page(model, origin(request)) : JSON.stringify(directory(model)),
  }
}

const pageHeaders = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'x-content-type-options': 'nosniff',
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

function page(model: Model, at: string): string {
  const { name, description } = model.service
  const collections = [...model.resources, ...model.abstracts]
  const first = collections[0]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${encode(name)}</title>
<style>
  :root { color-scheme: light dark }
  body { font: 16px/1.6 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem }
  pre { background: #8881; padding: .75rem 1rem; border-radius: .4rem; overflow-x: auto }
  ul { columns: 14rem; padding-left: 1.2rem }
</style>
<h1>${encode(name)}</h1>
${description === null ? '' : `<p>${encode(description)}</p>`}
<p>The same rows, through two faces. <a href="/docs">All of REST with examples</a>, also as <a href="/openapi.json">OpenAPI</a>.</p>
<h2>REST</h2>
<ul>
${collections.map(({ path }) => `<li><a href="/${encode(path)}">/${encode(path)}</a></li>`).join('\n')}
</ul>
${first === undefined ? '' : `<pre>${encode(`curl '${at}/${first.path}?limit=3'`)}</pre>`}
<h2>GraphQL</h2>
<p>At <code>/graphql</code>, with introspection: <code>POST</code> a JSON object with a <code>query</code>, or <code>GET</code> with a parameter of that name.</p>
${first === undefined ? '' : link(`{ ${first.list}(limit: 3) { __typename } }`)}
${first === undefined ? '' : `<pre>${encode(`curl ${at}/graphql -H 'content-type: application/json' \\\n  -d '{"query": "{ ${first.list}(limit: 3) { id } }"}'`)}</pre>`}
</html>
`
}

function link(query: string): string {
  return `<p>Try <a href="/graphql?query=${encodeURIComponent(query)}">${encode(query)}</a></p>`
}

/** As the client called us; a Host that is not one plainly is not repeated. */
function origin(request: HttpRequest): string {
  if (request.origin) return request.origin
  const host = request.headers.host ?? ''
  return `http://${/^[\w.:[\]-]+$/.test(host) ? host : 'localhost'}`
}
