import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import type { PlanResult } from '#plan'
import { fakeRest, mistakesOf, problemOf } from './blog.fixture.ts'

const one = (text: string | null): PlanResult => ({ kind: 'one', text, version: 3 })
const written = (created: boolean): PlanResult => ({
  kind: 'written',
  text: '{"id":"p1"}',
  id: 'p1',
  version: 1,
  created,
})

test('R16: what the request chose itself is judged by the limits', async () => {
  const { send, executed } = fakeRest(one('{}'))
  await send('/posts/p1?fields=title')
  assert.deepEqual(executed[0]?.options, { whole: false })
})

test('R3: no such row, and what can be no id, is a 404', async () => {
  const { send, executed } = fakeRest(one(null))
  for (const id of ['p1', 'a.b', '%00', 'x'.repeat(65)]) {
    const reply = await send(`/posts/${id}`)
    assert.equal(problemOf(reply).code, 'NOT_FOUND')
  }
  assert.equal(executed.length, 1)
})

test('R45: a create below a row that is not there is a 404, and another conflict is told as it is', async () => {
  const post = (rest: ReturnType<typeof fakeRest>) =>
    rest.send('/users/u1/posts', { method: 'POST', body: { title: 'a', tags: ['t1'] } })
  const conflict = (path: string) =>
    new ApiError('CONFLICT', 'nothing there', { problems: [{ path, code: 'REFERENCE', message: 'nothing there' }] })
  assert.deepEqual((await post(fakeRest(written(true)))).headers.location, '/posts/p1')
  assert.equal(problemOf(await post(fakeRest(conflict('author')))).detail, 'There is no User with the id "u1".')
  assert.equal(problemOf(await post(fakeRest(conflict('tags.0')))).code, 'CONFLICT')
})

test('R45: below what can be no id nothing is made', async () => {
  const { send, executed } = fakeRest(written(true))
  assert.equal((await send('/users/a.b/posts', { method: 'POST', body: { title: 'a' } })).status, 404)
  assert.equal(executed.length, 0)
})

test('R50: who takes nothing of what there is gets none of it, and nothing is written', async () => {
  const { send, executed } = fakeRest(written(true))
  const reply = await send('/posts', {
    method: 'POST',
    headers: { accept: 'text/csv' },
    body: { title: 'a', author: 'u' },
  })
  assert.equal(reply.status, 406)
  assert.equal(executed.length, 0)
})

test('R70: a fault of the engine is a problem, a bug is not ours to hide', async () => {
  const conflict = fakeRest(
    new ApiError('CONFLICT', 'taken', { problems: [{ path: 'email', code: 'UNIQUE', message: 'taken' }] }),
  )
  const reply = await conflict.send('/users', { method: 'POST', body: { name: 'a' } })
  assert.deepEqual([reply.status, mistakesOf(reply)], [409, ['email UNIQUE']])
  await assert.rejects(async () => fakeRest(new TypeError('bug')).send('/posts'), TypeError)
})
