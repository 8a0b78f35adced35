// GraphiQL for browsers: a page at `/graphql` and its files below it, all from this server (decision 18). The files are read on
// demand and not cached.

import { randomBytes } from 'node:crypto'
import { ApiError } from '#base'
import { type ApiHandler, type HttpReply, type HttpRequest, matchesEntityTag, notModified, pageTag } from '#base/http'
import type { Model } from '#model'
import { hasShippedFiles, isShipped, readShipped, type ShippedPath, typeOf } from './shipped-files.ts'

/** Only files and requests of this origin, and the images inside the style sheet. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const allow = 'GET, HEAD, OPTIONS'

/** Null if GraphiQL, an optional dependency, is not installed. */
export function createGraphiql(model: Model): ApiHandler | null {
  if (!hasShippedFiles()) return null
  // A start or a reload of the schema file changes it: the example of a create can then be sent again.
  const suffix = randomBytes(2).toString('hex')
  return (request) => answer(request, model, suffix)
}

async function answer(request: HttpRequest, model: Model, suffix: string): Promise<HttpReply> {
  const { path, method } = request
  if (path === '/graphql') {
    const { graphiqlPage } = await import('./graphiql-page.ts')
    return reply(request, graphiqlPage(model, suffix), 'text/html; charset=utf-8', {
      vary: 'accept',
      'content-security-policy': policy,
    })
  }
  if (!isShipped(path)) throw new ApiError('NOT_FOUND', 'There is nothing here.', { hint: 'GraphQL is at /graphql.' })
  if (method === 'OPTIONS') return { status: 204, headers: { allow }, body: null }
  if (method !== 'GET' && method !== 'HEAD') {
    throw new ApiError('METHOD_NOT_ALLOWED', `${path} can only be read.`, { headers: { allow } })
  }
  return file(request, path)
}

async function file(request: HttpRequest, path: ShippedPath): Promise<HttpReply> {
  return reply(request, await readShipped(path), typeOf(path), {})
}

function reply(request: HttpRequest, text: string, type: string, extraHeaders: Record<string, string>): HttpReply {
  const etag = pageTag(text)
  const headers = { etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff', ...extraHeaders }
  if (matchesEntityTag(etag, request.headers['if-none-match']))
    return notModified(headers, { type, length: text.length })
  return { status: 200, headers: { ...headers, 'content-type': type }, body: text }
}
