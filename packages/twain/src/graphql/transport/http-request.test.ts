import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpRequest, plainRequest } from '#base/http'
import { defaultLimits } from '#plan'
import { readHttpRequest } from './http-request.ts'

const read = (request: HttpRequest) => readHttpRequest(request, defaultLimits)
const plain = { hash: null, includeCost: false, idempotencyKey: null, isAsync: false }

function post(body: unknown, contentType = 'application/json'): HttpRequest {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return plainRequest('POST', '/graphql', { headers: { 'content-type': contentType }, body: bytes })
}

function get(query: string): HttpRequest {
  return plainRequest('GET', `/graphql?${query}`)
}

test('a POST has the query, the variables and the operation name', async () => {
  const body = { query: '{ x }', variables: { a: 1 }, operationName: 'A', extensions: {} }
  const { query, variables, operationName } = body
  assert.deepEqual(await read(post(body)), { kind: 'one', request: { query, variables, operationName, ...plain } })
  assert.deepEqual(await read(post({ query, variables: null, operationName: null, extensions: null })), {
    kind: 'one',
    request: { query, variables: {}, operationName: null, ...plain },
  })
  await read(post(body, 'application/json; charset=UTF-8'))
})

test('a GET has the same as parameters', async () => {
  const query = 'query=%7B+x+%7D&variables=%7B%22a%22%3A%22%C3%A9%22%7D&operationName=A&other=1'
  const request = { query: '{ x }', variables: { a: 'é' }, operationName: 'A', ...plain }
  assert.deepEqual(await read(get(query)), { kind: 'one', request })
})

test('a request can name its document by a hash in two ways, and request its cost', async () => {
  const extensions = { persistedQuery: { version: 1, sha256Hash: 'abc' }, cost: true }
  const request = {
    query: null,
    hash: 'abc',
    variables: {},
    operationName: null,
    includeCost: true,
    idempotencyKey: null,
    isAsync: false,
  }
  assert.deepEqual(await read(post({ extensions })), { kind: 'one', request })
  const encoded = encodeURIComponent(JSON.stringify(extensions))
  assert.deepEqual(await read(get(`extensions=${encoded}`)), { kind: 'one', request })
  const named = { kind: 'one', request: { ...request, includeCost: false, idempotencyKey: null, isAsync: false } }
  for (const documentId of ['abc', 'sha256:abc']) assert.deepEqual(await read(post({ documentId })), named)
})

test('a JSON array is a batch, up to the limit', async () => {
  const items = new Array(10).fill({ query: '{ x }' })
  assert.deepEqual(await read(post(items)), { kind: 'batch', items })
  await assert.rejects(async () => read(post([...items, 1])), {
    code: 'BAD_REQUEST',
    message: /11 operations; at most 10/,
  })
  const unbounded = await readHttpRequest(post([...items, 1]), { ...defaultLimits, batch: 0 })
  assert.equal(unbounded.kind, 'batch')
})

test('a malformed request is rejected with the code that fits', async () => {
  const rejected: [HttpRequest, string, RegExp][] = [
    [post('{'), 'BAD_REQUEST', /can not be read as JSON: it ends too early/],
    [post('{"query":\n x}'), 'BAD_REQUEST', /unexpected "x" at line 2, column 2/],
    [post(''), 'BAD_REQUEST', /The body .* it is empty/],
    [post('5'), 'BAD_REQUEST', /The body must be a JSON object/],
    [post('[]'), 'BAD_REQUEST', /at least one operation/],
    [post({ documentId: 1 }), 'BAD_REQUEST', /"documentId"/],
    [post({ extensions: { persistedQuery: { version: 2 } } }), 'BAD_REQUEST', /"persistedQuery"/],
    [post({ query: 1, documentId: 'x' }), 'BAD_REQUEST', /"query"/],
    [post({}), 'BAD_REQUEST', /"query"/],
    [post({ query: 1 }), 'BAD_REQUEST', /"query"/],
    [post({ query: '', variables: 'x' }), 'BAD_REQUEST', /"variables"/],
    [post({ query: '', variables: [] }), 'BAD_REQUEST', /"variables"/],
    [post({ query: '', operationName: 1 }), 'BAD_REQUEST', /"operationName"/],
    [post({ query: '', extensions: 1 }), 'BAD_REQUEST', /"extensions"/],
    [post(Buffer.from([0x7b, 0xff])), 'BAD_REQUEST', /UTF-8/],
    [post('{}', 'text/plain'), 'UNSUPPORTED_MEDIA_TYPE', /application\/json/],
    [post('{}', 'application/json; charset=latin1'), 'UNSUPPORTED_MEDIA_TYPE', /latin1/],
    [get(''), 'BAD_REQUEST', /"query"/],
    [get('query=%zz'), 'BAD_REQUEST', /percent/],
    [get('query=a&query=b'), 'BAD_REQUEST', /twice/],
    [get('query=a&variables={'), 'BAD_REQUEST', /"variables" can not be read as JSON/],
    [{ ...get(''), method: 'PUT' }, 'METHOD_NOT_ALLOWED', /PUT/],
  ]
  for (const [request, code, message] of rejected) await assert.rejects(async () => read(request), { code, message })
})
