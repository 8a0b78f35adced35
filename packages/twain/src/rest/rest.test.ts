import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import type { PlanResult } from '#plan'
import { fakeRest, problemOf, problemPathsOf } from './blog.fixture.ts'

const one = (text: string | null): PlanResult => ({ kind: 'one', text, version: 3 })
const written = (created: boolean): PlanResult => ({
  kind: 'written',
  text: '{"id":"p1"}',
  id: 'p1',
  version: 1,
  created,
})

test('R16: the limits apply to fields that the request chose', async () => {
  const { send, executed } = fakeRest(one('{}'))
  await send('/posts/p1?fields=title')
  assert.deepEqual(executed[0]?.options, { caller: undefined, isDefaultSelection: false })
})

test('R3: a missing row and an invalid id are a 404', async () => {
  const { send, executed } = fakeRest(one(null))
  for (const id of ['p1', 'a.b', '%00', 'x'.repeat(65)]) {
    const reply = await send(`/posts/${id}`)
    assert.equal(problemOf(reply).code, 'NOT_FOUND')
  }
  assert.equal(executed.length, 1)
})

test('R45: a create below a missing row is a 404, and other conflicts stay conflicts', async () => {
  const post = (rest: ReturnType<typeof fakeRest>) =>
    rest.send('/users/u1/posts', { method: 'POST', body: { title: 'a', tags: ['t1'] } })
  const conflict = (path: string) =>
    new ApiError('CONFLICT', 'nothing there', { problems: [{ path, code: 'REFERENCE', message: 'nothing there' }] })
  assert.deepEqual((await post(fakeRest(written(true)))).headers.location, '/posts/p1')
  assert.equal(problemOf(await post(fakeRest(conflict('author')))).detail, 'There is no User with the id "u1".')
  assert.equal(problemOf(await post(fakeRest(conflict('tags.0')))).code, 'CONFLICT')
})

test('R45: a create below an invalid id executes nothing', async () => {
  const { send, executed } = fakeRest(written(true))
  assert.equal((await send('/users/a.b/posts', { method: 'POST', body: { title: 'a' } })).status, 404)
  assert.equal(executed.length, 0)
})

test('R50: a write with an unsupported Accept is a 406 and executes nothing', async () => {
  const { send, executed } = fakeRest(written(true))
  const reply = await send('/posts', {
    method: 'POST',
    headers: { accept: 'text/csv' },
    body: { title: 'a', author: 'u' },
  })
  assert.equal(reply.status, 406)
  assert.equal(executed.length, 0)
})

test('R70: an ApiError of the engine is a problem, and another error is thrown', async () => {
  const conflict = fakeRest(
    new ApiError('CONFLICT', 'taken', { problems: [{ path: 'email', code: 'UNIQUE', message: 'taken' }] }),
  )
  const reply = await conflict.send('/users', { method: 'POST', body: { name: 'a' } })
  assert.deepEqual([reply.status, problemPathsOf(reply)], [409, ['email UNIQUE']])
  await assert.rejects(async () => fakeRest(new TypeError('bug')).send('/posts'), TypeError)
})
