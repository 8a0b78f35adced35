import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpRequest, plainRequest } from '#base'
import { readRequest } from './http-request.ts'

function post(body: unknown, contentType = 'application/json'): HttpRequest {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return plainRequest('POST', '/graphql', { headers: { 'content-type': contentType }, body: bytes })
}

function get(query: string): HttpRequest {
  return plainRequest('GET', `/graphql?${query}`)
}

test('a POST brings the query, the variables and the name of the operation', async () => {
  const body = { query: '{ x }', variables: { a: 1 }, operationName: 'A', extensions: {} }
  const { query, variables, operationName } = body
  assert.deepEqual(await readRequest(post(body)), { query, variables, operationName })
  assert.deepEqual(await readRequest(post({ query, variables: null, operationName: null, extensions: null })), {
    query,
    variables: {},
    operationName: null,
  })
  await readRequest(post(body, 'application/json; charset=UTF-8'))
})

test('a GET brings the same as parameters', async () => {
  const query = 'query=%7B+x+%7D&variables=%7B%22a%22%3A%22%C3%A9%22%7D&operationName=A&other=1'
  assert.deepEqual(await readRequest(get(query)), { query: '{ x }', variables: { a: 'é' }, operationName: 'A' })
})

test('what is no request is told so, with the status that fits', async () => {
  const refused: [HttpRequest, string, RegExp][] = [
    [post('{'), 'BAD_REQUEST', /not JSON that can be taken: it ends too early/],
    [post('{"query":\n x}'), 'BAD_REQUEST', /unexpected "x" at line 2, column 2/],
    [post(''), 'BAD_REQUEST', /The body .* it is empty/],
    [post('[]'), 'BAD_REQUEST', /object/],
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
    [get('query=a&variables={'), 'BAD_REQUEST', /not JSON/],
    [{ ...get(''), method: 'PUT' }, 'METHOD_NOT_ALLOWED', /PUT/],
  ]
  for (const [request, code, message] of refused) await assert.rejects(readRequest(request), { code, message })
})
