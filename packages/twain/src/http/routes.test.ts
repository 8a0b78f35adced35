import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type Log } from '#base'
import { type HttpReply, type HttpRequest, plainRequest } from '#base/http'
import { loadModel } from '#model'
import { createRoutes, type HttpHandler } from './routes.ts'

test('each path has its handler', async () => {
  const { handle } = routes()
  const apiOf = async (path: string) => JSON.parse(String((await handle(get(path))).body)).api
  assert.equal(await apiOf('/graphql'), 'graphql')
  for (const path of ['/posts', '/graphql/x', '//', '/%zz', '/healthz/x']) assert.equal(await apiOf(path), 'rest')
})

test('REST gets HEAD unchanged, and GraphQL gets it as GET', async () => {
  const { handle } = routes()
  const methodOf = async (path: string) => JSON.parse(String((await handle(get(path, 'HEAD'))).body)).method
  assert.equal(await methodOf('/posts'), 'HEAD')
  assert.equal(await methodOf('/graphql'), 'GET')
})

test('the service is always alive, and ready while it serves', async () => {
  const { handle, state } = routes()
  assert.equal((await handle(get('/readyz'))).status, 200)
  state.unready = 'the server is stopping'
  const waiting = await handle(get('/readyz'))
  assert.equal(waiting.status, 503)
  assert.equal(waiting.headers['retry-after'], '1')
  assert.deepEqual(JSON.parse(String(waiting.body)), { status: 'not ready', reason: 'the server is stopping' })
  assert.equal((await handle(get('/healthz'))).status, 200)
})

test('read-only paths refuse other methods with Allow', async () => {
  const { handle } = routes()
  const refused = await handle(get('/', 'POST'))
  assert.equal(refused.status, 405)
  assert.equal(refused.headers.allow, 'GET, HEAD, OPTIONS')
  assert.equal((await handle(get('/healthz', 'OPTIONS'))).status, 204)
  assert.equal((await handle(get('*', 'OPTIONS'))).status, 204)
  assert.equal((await handle(get('*'))).status, 400)
})

test('a browser that opens /graphql without a query gets the home page, where there is no console', async () => {
  const { handle } = routes()
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
  const page = await handle(get('/graphql', 'GET', { accept }))
  assert.match(String(page.headers['content-type']), /^text\/html/)
  assert.match(String(page.body), /href="\/graphql\?query=%7B%20/)

  const answer = await handle({ ...get('/graphql', 'GET', { accept }), query: 'query=%7Ba%7D' })
  assert.equal(JSON.parse(String(answer.body)).api, 'graphql')
})

test('a browser that opens /graphql goes to the query page of the console', async () => {
  const visit = get('/graphql', 'GET', { accept: 'text/html' })
  const { status, headers } = await routes(undefined, undefined, fakeApi('console')).handle(visit)
  assert.deepEqual([status, headers.location, headers.vary], [302, '/console/query', 'accept'])
  const taken = loadModel('type Item @resource(path: "query") { id: ID! }', 'shop.graphql')
  const other = await routes(undefined, undefined, fakeApi('console'), taken).handle(visit)
  assert.equal(other.headers.location, '/console/+query')

  const { handle } = routes(undefined, undefined, fakeApi('console'))
  const apiOf = async (path: string, headers = {}) =>
    JSON.parse(String((await handle(get(path, 'GET', headers))).body)).api
  assert.equal(await apiOf('/graphql/page.js'), 'rest')
  assert.equal(await apiOf('/graphql', { accept: '*/*' }), 'graphql')
  assert.equal(await apiOf('/graphql'), 'graphql')
  assert.equal(await apiOf('/graphqls'), 'rest')
})

test('where only trusted documents are accepted, nothing leads to the query page', async () => {
  const { handle } = routes(undefined, undefined, fakeApi('console'), undefined, true)
  for (const path of ['/graphql', '/']) {
    const { status, body } = await handle(get(path, 'GET', { accept: 'text/html' }))
    assert.equal(status, 200)
    assert.match(String(body), /href="\/console"/)
    assert.doesNotMatch(String(body), /\/console\/query|\/graphql\?query=|\/graphql --json/)
  }
})

test('/graphql/ redirects with its query, and a POST stays a POST', async () => {
  const { handle } = routes()
  for (const [method, status] of [
    ['GET', 301],
    ['HEAD', 301],
    ['POST', 308],
  ] as const) {
    const reply = await handle({ ...get('/graphql/', method), query: 'query=%7Ba%7D' })
    assert.deepEqual([reply.status, reply.headers.location], [status, '/graphql?query=%7Ba%7D'], method)
  }
})

test('an error of a handler becomes a reply', async () => {
  const { handle } = routes(async () => {
    throw new Error('secret')
  })
  const reply = await handle(get('/posts'))
  assert.equal(reply.status, 500)
  assert.doesNotMatch(String(reply.body), /secret/)
})

test('an invalid token is an error in the format of the requested API', async () => {
  const refuse: HttpHandler = async () => {
    throw new ApiError('UNAUTHENTICATED', 'No.', { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } })
  }
  const { handle } = routes(refuse, refuse)
  const rest = await handle(get('/posts'))
  const graphql = await handle(get('/graphql'))
  for (const reply of [rest, graphql]) {
    assert.equal(reply.status, 401)
    assert.equal(reply.headers['www-authenticate'], 'Bearer error="invalid_token"')
  }
  assert.equal(JSON.parse(String(rest.body)).code, 'UNAUTHENTICATED')
  assert.deepEqual(JSON.parse(String(graphql.body)), {
    errors: [{ message: 'No.', extensions: { code: 'UNAUTHENTICATED' } }],
  })
  assert.equal((await handle(get('/readyz'))).status, 200)
})

function routes(
  rest = fakeApi('rest'),
  graphql = fakeApi('graphql'),
  console: HttpHandler | null = null,
  model = loadModel('type Item { id: ID! }', 'shop.graphql'),
  isTrustedOnly = false,
): { handle: HttpHandler; state: { unready: string | null } } {
  const state: { unready: string | null } = { unready: null }
  const log: Log = { info() {}, warn() {}, error() {} }
  return {
    state,
    handle: createRoutes({
      rest,
      graphql,
      console,
      isTrustedOnly,
      model: () => model,
      unready: () => state.unready,
      log,
    }),
  }
}

/** A handler whose reply names the API and the method. */
function fakeApi(api: string): HttpHandler {
  return async ({ method }): Promise<HttpReply> => ({
    status: 200,
    headers: {},
    body: JSON.stringify({ api, method }),
  })
}

function get(path: string, method = 'GET', headers: Record<string, string> = {}): HttpRequest {
  return plainRequest(method, path, { headers })
}
