import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#base'
import { requestOf } from './blog.fixture.ts'
import { representProblem } from './problem.ts'

const fault = new Fault('CONFLICT', 'The title is taken.', {
  hint: 'Choose another.',
  problems: [{ path: 'title', code: 'UNIQUE', message: 'is taken.' }],
  headers: { 'retry-after': '1' },
})

test('R70: a fault is a problem with its code, its places and its headers', () => {
  const reply = representProblem(fault, requestOf('/posts?x=1', { method: 'POST' }))
  assert.equal(reply.status, 409)
  assert.equal(reply.headers['content-type'], 'application/problem+json')
  assert.equal(reply.headers['retry-after'], '1')
  assert.deepEqual(JSON.parse(String(reply.body)), {
    type: 'about:blank',
    title: 'Conflict',
    status: 409,
    detail: 'The title is taken.',
    instance: '/posts',
    code: 'CONFLICT',
    errors: [{ path: 'title', code: 'UNIQUE', message: 'is taken.' }],
    hint: 'Choose another.',
  })
})

test('R72: a 401 says how one signs in', () => {
  const plain = representProblem(new Fault('UNAUTHENTICATED', 'Sign in.'), requestOf('/posts'))
  assert.equal(plain.headers['www-authenticate'], 'Bearer')
  const headers = { 'www-authenticate': 'Bearer error="invalid_token"' }
  const expired = representProblem(new Fault('UNAUTHENTICATED', 'It ended.', { headers }), requestOf('/posts'))
  assert.equal(expired.headers['www-authenticate'], headers['www-authenticate'])
})
