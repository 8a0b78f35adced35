// Routes each path to its API or page. The caller passes the handlers, so that tests can use their own without a port.

import { ApiError, type Log, type MaybePromise, recoverWith } from '#base'
import { type HttpReply, type HttpRequest, redirectReply } from '#base/http'
import type { Model } from '#model'
import { isConsolePath } from './metrics.ts'
import { favicon, hasQueryPage, homePage, queryPagePath, type ServedPages } from './page/home-page.ts'
import { problem } from './reply/problem.ts'

export type HttpHandler = (request: HttpRequest) => MaybePromise<HttpReply>

export interface Routes {
  /** The APIs. They authenticate the viewer; an ApiError of that is formatted as the API formats errors. */
  rest: HttpHandler
  graphql: HttpHandler
  /** The paths below `/-/`, for the operator's commands; absent: there are none. */
  operator?: HttpHandler
  /** The console at `/console` and below; null if it is not served. */
  console?: HttpHandler | null
  /** Whether GraphQL refuses every document that is not a trusted one; absent: no. */
  isTrustedOnly?: boolean
  /** The files of an application's page, outside of the base path; null: there are none. */
  staticFiles?: HttpHandler | null
  /** The current model; a reload of the schema file replaces it. */
  model(): Model
  /** Why the service is not ready: a reload, a stop…; null if it is ready. */
  unready(): string | null
  /** The text of `/metrics`; it checks the access. Undefined: no metrics. */
  metrics?: ((request: HttpRequest) => MaybePromise<string>) | undefined
  log: Log
}

export function createRoutes(routes: Routes): HttpHandler {
  return (request) =>
    recoverWith(
      () => route(request, routes),
      (error) => failure(error, request, routes.log),
    )
}

/** Formats an error as the requested API does. The log entry of a bug has the request id. */
export function failure(error: unknown, request: HttpRequest, log: Log): HttpReply {
  if (!(error instanceof ApiError)) request.context?.span?.recordError(error)
  const named: Log = {
    ...log,
    error: (fields, message) => log.error({ ...fields, request_id: request.context?.id }, message),
  }
  return problem(error, request, named)
}

function route(request: HttpRequest, routes: Routes): HttpReply | Promise<HttpReply> {
  if (request.isOutsideBase === true && request.path !== '*') return outside(request, routes)
  switch (request.path) {
    case '/graphql':
      if (isVisit(request)) return visit(request, routes)
      return routes.graphql(request.method === 'HEAD' ? asGet(request) : request)
    case '/healthz':
      return readOnly(request, () => status(200, { status: 'ok' }))
    case '/readyz':
      return readOnly(request, () => readiness(routes.unready()))
    case '/metrics':
      return readOnly(request, () => metrics(request, routes))
    case '/':
      return readOnly(request, () => homePage(request, routes.model(), pagesOf(routes)))
    case '/favicon.svg':
    case '/favicon.ico':
      return readOnly(request, () => favicon(request))
    case '/graphql/':
    case '/console/':
    case '/healthz/':
    case '/readyz/':
    case '/metrics/':
    case '/favicon.svg/':
    case '/favicon.ico/':
      return redirectReply(request, request.path.slice(0, -1))
    case '*': // `OPTIONS *` is about the whole server (RFC 9110, 9.3.7)
      return request.method === 'OPTIONS' ? empty('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS') : notAPath()
    default:
      if (routes.operator !== undefined && request.path.startsWith('/-/')) return routes.operator(request)
      if (routes.console && isConsolePath(request.path)) return routes.console(request)
      return routes.rest(request)
  }
}

function pagesOf({ console, isTrustedOnly = false }: Routes): ServedPages {
  return { hasConsole: console != null, isTrustedOnly }
}

/** To the query page of the console; without one, or where it could send nothing, the page that explains the APIs. */
function visit(request: HttpRequest, routes: Routes): HttpReply {
  const pages = pagesOf(routes)
  if (!hasQueryPage(pages)) return homePage(request, routes.model(), pages)
  return { status: 302, headers: { location: queryPagePath(routes.model()), vary: 'accept' }, body: null }
}

function outside(request: HttpRequest, { staticFiles }: Routes): MaybePromise<HttpReply> {
  if (staticFiles) return readOnly(request, () => staticFiles(request))
  throw new ApiError('NOT_FOUND', 'There is nothing here.', {
    hint: 'The setting http.basePath is the path below which the APIs are.',
  })
}

/** A browser that opens `/graphql` without a query gets a page. */
function isVisit({ method, query, headers }: HttpRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && query === '' && headers.accept?.includes('text/html') === true
}

/** The GraphQL API handles HEAD as GET; the server drops the body. */
function asGet(request: HttpRequest): HttpRequest {
  const { path, query, headers, address, context } = request
  return {
    method: 'GET',
    path,
    query,
    headers,
    address,
    ...(context === undefined ? {} : { context }),
    body: () => request.body(),
    stream: (limit, setting) => request.stream(limit, setting),
  }
}

function readOnly(request: HttpRequest, answer: () => MaybePromise<HttpReply>): MaybePromise<HttpReply> {
  if (request.method === 'GET' || request.method === 'HEAD') return answer()
  const allow = 'GET, HEAD, OPTIONS'
  if (request.method === 'OPTIONS') return empty(allow)
  throw new ApiError('METHOD_NOT_ALLOWED', `${request.path} is read-only.`, { headers: { allow } })
}

function readiness(unready: string | null): HttpReply {
  return unready === null ? status(200, { status: 'ready' }) : status(503, { status: 'not ready', reason: unready })
}

async function metrics(request: HttpRequest, routes: Routes): Promise<HttpReply> {
  if (routes.metrics === undefined) throw new ApiError('NOT_FOUND', 'There is nothing here.')
  const body = await routes.metrics(request)
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-cache' }
  return { status: 200, headers, body }
}

function status(code: 200 | 503, body: object): HttpReply {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return {
    status: code,
    headers: code === 503 ? { ...headers, 'retry-after': '1' } : headers,
    body: JSON.stringify(body),
  }
}

function empty(allow: string): HttpReply {
  return { status: 204, headers: { allow }, body: null }
}

function notAPath(): never {
  throw new ApiError('BAD_REQUEST', 'The request target is not a path.')
}
