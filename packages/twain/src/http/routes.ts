// Which door answers which path. The doors are given, so that tests put their own behind it and need no port.

import { Fault, type HttpReply, type HttpRequest, type Log } from '#base'
import type { Model } from '#model'
import { graphqlProblem, problem } from './problem.ts'
import { welcome } from './welcome.ts'

export type Handle = (request: HttpRequest) => Promise<HttpReply>

export interface Routes {
  /** The doors, which find out who asks; a Fault of theirs about that is told in the words of the face. */
  rest: Handle
  graphql: Handle
  /** What is served now; it changes when the schema file does. */
  model(): Model
  /** False while requests would have to wait: the contract is being swapped, or the server stops. */
  ready(): boolean
  log: Log
}

export function createRoutes(routes: Routes): Handle {
  return async (request) => {
    try {
      return await route(request, routes)
    } catch (error) {
      return request.path === '/graphql' ? graphqlProblem(error, request, routes.log) : problem(error, routes.log)
    }
  }
}

function route(request: HttpRequest, routes: Routes): HttpReply | Promise<HttpReply> {
  switch (request.path) {
    case '/graphql':
      if (isVisit(request)) return welcome(request, routes.model())
      return routes.graphql(request.method === 'HEAD' ? asGet(request) : request)
    case '/healthz':
      return readOnly(request, () => status(200, 'ok'))
    case '/readyz':
      return readOnly(request, () => (routes.ready() ? status(200, 'ready') : status(503, 'not ready')))
    case '/':
      return readOnly(request, () => welcome(request, routes.model()))
    case '*': // `OPTIONS *` asks about the server as a whole (RFC 9110, 9.3.7)
      return request.method === 'OPTIONS' ? empty('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS') : notAPath()
    default:
      return routes.rest(request)
  }
}

/** A browser that asks nothing yet is shown how to ask. */
function isVisit({ method, query, headers }: HttpRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && query === '' && headers.accept?.includes('text/html') === true
}

/** The GraphQL door knows GET; what it answers is what HEAD describes, and the socket drops the body. */
function asGet(request: HttpRequest): HttpRequest {
  const { path, query, headers, address } = request
  return {
    method: 'GET',
    path,
    query,
    headers,
    address,
    body: () => request.body(),
    stream: (limit) => request.stream(limit),
  }
}

function readOnly(request: HttpRequest, answer: () => HttpReply): HttpReply {
  if (request.method === 'GET' || request.method === 'HEAD') return answer()
  const allow = 'GET, HEAD, OPTIONS'
  if (request.method === 'OPTIONS') return empty(allow)
  throw new Fault('METHOD_NOT_ALLOWED', `${request.path} can only be read.`, { headers: { allow } })
}

function status(code: 200 | 503, word: string): HttpReply {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return {
    status: code,
    headers: code === 503 ? { ...headers, 'retry-after': '1' } : headers,
    body: JSON.stringify({ status: word }),
  }
}

function empty(allow: string): HttpReply {
  return { status: 204, headers: { allow }, body: null }
}

function notAPath(): never {
  throw new Fault('BAD_REQUEST', 'The request target is not a path.')
}
