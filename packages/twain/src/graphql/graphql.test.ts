import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import type { RequestContext } from '#base/http'
import { loadModel } from '#model'
import { fakeGraphql, responseOf, rows, written } from './blog.fixture.ts'

const bodyOf = (body: object) => async () => Buffer.from(JSON.stringify(body))
const accept = (type: string) => ({ 'content-type': 'application/json', accept: type })

test('a response has the text of the engine', async () => {
  const text = '[{"price":1.10,"id":"p1"}]'
  const { send } = fakeGraphql({ answers: [{ ...rows, kind: 'many', text, more: false, total: null }] })
  const reply = await send({ body: bodyOf({ query: '{ posts { id } }' }) })
  assert.equal(reply.body, `{"data":{"posts":${text}}}`)
  assert.equal(reply.status, 200)
  assert.equal(reply.headers['content-type'], 'application/graphql-response+json; charset=utf-8')
})

test('a GET runs a query, and never a mutation', async () => {
  const { send, executedPlans } = fakeGraphql({ answers: [rows] })
  const query = await send({ method: 'GET', query: `query=${encodeURIComponent('{ posts { id } }')}` })
  assert.deepEqual(responseOf(query), { data: { posts: [{ id: 'p1' }] } })
  const mutation = await send({
    method: 'GET',
    query: `query=${encodeURIComponent('mutation { deletePost(id: 1) { id } }')}`,
  })
  assert.equal(mutation.status, 405)
  assert.equal(mutation.headers.allow, 'POST')
  assert.equal(executedPlans.length, 1)
})

test('a wrong document is 200 in application/json and 400 in application/graphql-response+json', async () => {
  const { send } = fakeGraphql()
  for (const query of ['{', '{ nothing }', 'query ($n: Int!) { posts(limit: $n) { id } }']) {
    const json = await send({ body: bodyOf({ query }), headers: accept('*/*') })
    assert.equal(json.status, 200, query)
    for (const named of [{ headers: accept('application/graphql-response+json') }, {}]) {
      const response = await send({ body: bodyOf({ query }), ...named })
      assert.equal(response.status, 400, query)
      assert.equal(response.headers['content-type'], 'application/graphql-response+json; charset=utf-8')
      assert.ok(!('data' in responseOf(response)) && responseOf(response).errors!.length > 0)
    }
  }
})

test('a failed field is 200 in both media types', async () => {
  const { send } = fakeGraphql({ answers: [new ApiError('CONFLICT', 'taken')] })
  for (const type of ['application/json', 'application/graphql-response+json']) {
    const reply = await send({ body: bodyOf({ query: '{ posts { id } }' }), headers: accept(type) })
    assert.equal(reply.status, 200)
    assert.equal(responseOf(reply).data, null)
  }
})

test('a malformed request has its status, and an error with its code', async () => {
  const { send } = fakeGraphql()
  const rejected: [Parameters<typeof send>[0], number, string][] = [
    [{ body: async () => Buffer.from('{') }, 400, 'BAD_REQUEST'],
    [{ body: bodyOf({}) }, 400, 'BAD_REQUEST'],
    [{ method: 'DELETE' }, 405, 'METHOD_NOT_ALLOWED'],
    [{ headers: {} }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [{ headers: accept('text/html') }, 406, 'NOT_ACCEPTABLE'],
    [{ body: () => Promise.reject(new ApiError('PAYLOAD_TOO_LARGE', 'too much')) }, 413, 'PAYLOAD_TOO_LARGE'],
  ]
  for (const [request, status, code] of rejected) {
    const reply = await send(request)
    assert.deepEqual([reply.status, responseOf(reply).errors?.[0]?.extensions.code], [status, code])
  }
})

test('variables that the operation does not declare are ignored', async () => {
  const { send } = fakeGraphql({ answers: [written] })
  const query =
    'query A($n: Int) { posts(limit: $n) { id } } mutation B($i: CreateTagInput!) { createTag(input: $i) { id } }'
  const both = await send({ body: bodyOf({ query, operationName: 'B', variables: { n: 1, i: { name: 'x' } } }) })
  assert.deepEqual(responseOf(both), { data: { createTag: { id: 'p1' } } })
})

test('a model without resources has a field with the name of the service', async () => {
  const model = {
    ...loadModel('type A { id: ID! }', 'little-shop.graphql'),
    resources: [],
    system: { resources: [], values: [], enums: [] },
    abstracts: [],
    types: new Map(),
  }
  const { run } = fakeGraphql({ model })
  assert.deepEqual(await run('{ _service }'), { data: { _service: model.service.name } })
})

test('with rules a response varies by authorization, and a GET is private', async () => {
  const ruled = fakeGraphql({ model: loadModel('type Note @allow(to: [READ]) { id: ID! }', 'x.graphql') })
  const headers = async (api: typeof ruled, request: Parameters<typeof ruled.send>[0]) => {
    const reply = await api.send(request)
    return [reply.headers.vary, reply.headers['cache-control']]
  }
  const get = { method: 'GET', query: 'query={__typename}' }
  assert.deepEqual(await headers(ruled, get), ['accept, authorization', 'private, no-cache'])
  assert.deepEqual(await headers(ruled, { ...get, query: 'query={nothing}' }), [
    'accept, authorization',
    'private, no-cache',
  ])
  assert.deepEqual(await headers(ruled, {}), ['accept, authorization', undefined])
  assert.deepEqual(await headers(fakeGraphql(), get), ['accept', 'no-cache'])
})

test('a GET has an ETag, and a matching If-None-Match is 304', async () => {
  const { send } = fakeGraphql({ answers: [rows] })
  const get = { method: 'GET', query: `query=${encodeURIComponent('{ posts { id } }')}` }
  const { headers } = await send(get)
  const etag = String(headers.etag)
  const again = await send({ ...get, headers: { 'if-none-match': etag } })
  assert.deepEqual(again, {
    status: 304,
    headers: { vary: 'accept', 'cache-control': 'no-cache', etag },
    body: null,
    confirms: { type: 'application/graphql-response+json', length: 32 },
  })
  assert.equal((await send({ ...get, headers: { 'if-none-match': '"other"' } })).status, 200)
  assert.equal((await send({ body: bodyOf({ query: '{ posts { id } }' }) })).headers.etag, undefined)
})

test('a batch is answered in order, and the failure of one operation does not affect the others', async () => {
  const { send, executedPlans } = fakeGraphql({ answers: [new ApiError('CONFLICT', 'taken'), written] })
  const create = { query: 'mutation { createTag(input: {name: "x"}) { id } }' }
  const reply = await send({ body: bodyOf([create, { query: '{' }, 5, {}, create]) })
  const answers = JSON.parse(String(reply.body)) as ReturnType<typeof responseOf>[]
  assert.equal(reply.status, 200)
  const codes = answers.map(({ data, errors }) => errors?.[0]?.extensions.code ?? JSON.stringify(data))
  assert.deepEqual(codes, [
    'CONFLICT',
    'GRAPHQL_PARSE_FAILED',
    'BAD_REQUEST',
    'BAD_REQUEST',
    '{"createTag":{"id":"p1"}}',
  ])
  assert.equal(executedPlans.length, 2)
})

test('a request says whether it only reads, so that a timeout does not speak of a change', async () => {
  const { send } = fakeGraphql({ answers: [rows, written, rows] })
  const onlyReads = async (body: object) => {
    const context = { responseHeaders: [] } as unknown as RequestContext
    await send({ body: bodyOf(body), context })
    return context.onlyReads
  }
  const query = { query: '{ posts { id } }' }
  assert.equal(await onlyReads(query), true)
  assert.equal(await onlyReads({ query: 'mutation { createTag(input: {name: "x"}) { id } }' }), false)
  assert.equal(await onlyReads([query]), false)
})

test('the operations of a batch share one response budget', async () => {
  const text = JSON.stringify('x'.repeat(9 << 20))
  const { send } = fakeGraphql({ answers: [{ ...rows, kind: 'many', text, more: false, total: null }] })
  const reply = await send({ body: bodyOf(new Array(3).fill({ query: '{ posts { id } }' })) })
  const answers = JSON.parse(String(reply.body)) as ReturnType<typeof responseOf>[]
  assert.deepEqual(
    answers.map(({ errors }) => errors?.[0]?.extensions.code),
    [undefined, undefined, 'QUERY_TOO_COSTLY'],
  )
})

test('extensions.cost returns the cost of the operation', async () => {
  const { send } = fakeGraphql({ answers: [rows] })
  const query = 'query A { posts { id } } query B { post(id: 1) { id author { name } } }'
  const reply = await send({ body: bodyOf({ query, operationName: 'A', extensions: { cost: true } }) })
  assert.deepEqual(JSON.parse(String(reply.body)).extensions, {
    cost: { depth: 1, maxDepth: 5, cost: 30, maxCost: 1000 },
  })
  const silent = await send({ body: bodyOf({ query, operationName: 'A' }) })
  assert.ok(!String(silent.body).includes('extensions'))
})

test('without introspection neither __schema nor an error reveals names of the schema', async () => {
  const { run } = fakeGraphql({ introspection: false, answers: [rows] })
  for (const query of ['{ __schema { types { name } } }', '{ __type(name: "Post") { name } }']) {
    assert.match((await run(query)).errors![0]!.message, /introspection has been disabled/)
  }
  const near: [string, object?][] = [
    ['{ post { id } }'],
    ['{ postz { id } }'],
    ['query ($w: PostWhere) { posts(where: $w) { id } }', { w: { titel: { eq: 'x' } } }],
    ['mutation ($i: CreateTagInput!) { createTag(input: $i) { id } }', { i: { nmae: 'x' } }],
  ]
  for (const [query, variables] of near) {
    const answer = JSON.stringify(await run(query, variables))
    assert.match(answer, /errors/)
    assert.doesNotMatch(answer, /Did you mean/, query)
    if (query !== near[0]![0]) assert.match(JSON.stringify(await fakeGraphql().run(query, variables)), /Did you mean/)
  }
  const status = JSON.stringify(
    await run('query ($s: Status) { posts(where: {status: {eq: $s}}) { id } }', { s: 'GONE' }),
  )
  assert.match(status, /must be one of its values\./)
  assert.doesNotMatch(status, /DRAFT/)
  assert.deepEqual(await run('{ posts { __typename } }'), { data: { posts: [{ id: 'p1' }] } })
})
