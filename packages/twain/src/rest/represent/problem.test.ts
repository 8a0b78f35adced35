import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import { requestOf } from '../blog.fixture.ts'
import { representProblem } from './problem.ts'

const error = new ApiError('CONFLICT', 'The title is taken.', {
  hint: 'Choose another.',
  problems: [{ path: 'title', code: 'UNIQUE', message: 'is taken.' }],
  headers: { 'retry-after': '1' },
})

test('R70: an ApiError is a problem with its code, its paths and its headers', () => {
  const reply = representProblem(error, requestOf('/posts?x=1', { method: 'POST' }))
  assert.equal(reply.status, 409)
  assert.equal(reply.headers['content-type'], 'application/problem+json')
  assert.equal(reply.headers['retry-after'], '1')
  assert.deepEqual(JSON.parse(String(reply.body)), {
    type: '/docs/errors/CONFLICT',
    title: 'Conflict',
    status: 409,
    detail: 'The title is taken.',
    instance: '/posts',
    code: 'CONFLICT',
    errors: [{ path: 'title', code: 'UNIQUE', message: 'is taken.' }],
    hint: 'Choose another.',
  })
})

test('R16: depth and cost errors name fields, if the request chose them', () => {
  const deep = new ApiError('QUERY_TOO_DEEP', 'The query is 6 levels deep.')
  const errors = (path: string) => JSON.parse(String(representProblem(deep, requestOf(path)).body)).errors
  assert.deepEqual(errors('/posts?limit=1&fields=a.b.c'), [
    { path: 'fields', code: 'RANGE', message: 'The query is 6 levels deep.' },
  ])
  assert.deepEqual(errors('/posts?limit=1'), [])
})

test('R72: a 401 has WWW-Authenticate', () => {
  const plain = representProblem(new ApiError('UNAUTHENTICATED', 'Sign in.'), requestOf('/posts'))
  assert.equal(plain.headers['www-authenticate'], 'Bearer')
  const headers = { 'www-authenticate': 'Bearer error="invalid_token"' }
  const expired = representProblem(new ApiError('UNAUTHENTICATED', 'It ended.', { headers }), requestOf('/posts'))
  assert.equal(expired.headers['www-authenticate'], headers['www-authenticate'])
})

test('R71: only a problem of the body has a JSON pointer', () => {
  const places = ['address.city', '0.title', 'fields.nme', 'If-Match', '']
  const problems = places.map((path) => ({ path, code: 'TYPE' as const, message: 'x' }))
  const request = requestOf('/users?fields=nme', { method: 'POST', body: {} })
  const { errors } = JSON.parse(String(representProblem(new ApiError('BAD_REQUEST', 'x', { problems }), request).body))
  const pointers = (errors as { pointer?: string }[]).map(({ pointer }) => pointer)
  assert.deepEqual(pointers, ['/address/city', '/0/title', undefined, undefined, undefined])
})

test('R70: a problem in XML has the names of RFC 9457', () => {
  const reply = representProblem(error, requestOf('/posts', { headers: { accept: 'application/xml' } }))
  assert.equal(reply.headers['content-type'], 'application/problem+xml')
  assert.match(
    String(reply.body),
    /<problem xmlns="urn:ietf:rfc:7807"><type>\/docs\/errors\/CONFLICT<\/type><title>Conflict<\/title>/,
  )
  assert.match(String(reply.body), /<errors><i><path>title<\/path><code>UNIQUE<\/code>/)
})
