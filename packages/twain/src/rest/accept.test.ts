import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#base'
import { acceptJson } from './accept.ts'
import { requestOf } from './blog.fixture.ts'

test('R50: JSON is given to whoever takes it, by the most specific range', () => {
  for (const accept of [
    'application/json',
    '*/*',
    'application/*;q=0.1',
    'text/html, application/json;q=0.5',
    'Application/JSON; charset=utf-8',
    'application/json, */*;q=0',
  ]) {
    assert.doesNotThrow(() => acceptJson(requestOf('/posts', { headers: { accept } })), accept)
  }
  assert.doesNotThrow(() => acceptJson(requestOf('/posts')))
})

test('R50: whoever takes no JSON hears what there is', () => {
  for (const accept of [
    'text/html',
    'application/json;q=0, */*',
    'application/problem+json',
    'image/*, text/*;q=0.3',
  ]) {
    assert.throws(
      () => acceptJson(requestOf('/posts', { headers: { accept } })),
      (error) =>
        error instanceof Fault && error.code === 'NOT_ACCEPTABLE' && /application\/json/.test(error.hint ?? ''),
      accept,
    )
  }
})
