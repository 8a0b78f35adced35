import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#base'
import { requestOf } from './blog.fixture.ts'
import { expectedVersion } from './if-match.ts'

test('R62: If-Match names a version, with or without the hash', () => {
  assert.equal(versionOf('"7-x3_a"'), 7)
  assert.equal(versionOf('"7"'), 7)
  assert.equal(versionOf('"7-a", "7-b"'), 7)
  assert.equal(expectedVersion(requestOf('/posts/p1', { method: 'PATCH' })), null)
})

test('R62: a star asks for any version of a row that is there, which a PUT can not promise', () => {
  assert.equal(versionOf('*', 'DELETE'), null)
  assert.throws(() => versionOf('*', 'PUT'), { code: 'BAD_REQUEST' })
})

test('R62: a tag that no row can have does not match', () => {
  for (const tag of ['"abc"', 'W/"7-a"', '""'])
    assert.throws(() => versionOf(tag), { code: 'PRECONDITION_FAILED' }, tag)
})

test('R62: what is no tag, or names two versions, is a bad request', () => {
  for (const tag of ['7', '"7', '"7-a", "8-a"', '']) assert.throws(() => versionOf(tag), { code: 'BAD_REQUEST' }, tag)
})

test('R62: If-None-Match on a write is refused and never ignored', () => {
  const request = requestOf('/posts/p1', { method: 'PUT', headers: { 'if-none-match': '*' } })
  assert.throws(() => expectedVersion(request), Fault)
})

function versionOf(tag: string, method = 'PATCH'): number | null {
  return expectedVersion(requestOf('/posts/p1', { method, headers: { 'if-match': tag } }))
}
