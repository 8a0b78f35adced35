import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestOf } from '../blog.fixture.ts'
import { expectNoPreconditions, isNotModified, readWritePreconditions } from './preconditions.ts'

const nothing = { presence: null, versions: null, otherVersions: null, unmodifiedSince: null }
const date = 'Sun, 06 Nov 1994 08:49:37 GMT'
const time = Date.UTC(1994, 10, 6, 8, 49, 37)

test('R62: If-Match names versions, with or without the hash', () => {
  const versions = (tags: string) => conditions({ 'if-match': tags })?.versions
  assert.deepEqual(versions('"7-x3_a"'), [7])
  assert.deepEqual(versions('"7"'), [7])
  assert.deepEqual(versions('"7-a", "7-b", "8", "other"'), [7, 8])
  assert.equal(conditions({}), null)
})

test('R62: `*` requires an existing row in If-Match, and no row in If-None-Match', () => {
  assert.deepEqual(conditions({ 'if-match': '*' }), { ...nothing, presence: 'there' })
  assert.deepEqual(conditions({ 'if-none-match': ' * ' }), { ...nothing, presence: 'none' })
})

test('R62: If-None-Match with tags excludes those versions, also for weak tags', () => {
  assert.deepEqual(conditions({ 'if-none-match': 'W/"7-a", "x"' }), { ...nothing, otherVersions: [7] })
  assert.deepEqual(conditions({ 'if-none-match': '"x"' }), nothing)
})

test('R62: tags that no row can have do not match', () => {
  for (const tag of ['"abc"', 'W/"7-a"', '""', '"99999999999"']) {
    assert.throws(() => conditions({ 'if-match': tag }), { code: 'PRECONDITION_FAILED' }, tag)
  }
  assert.throws(() => conditions({ 'if-match': '*', 'if-none-match': '*' }), { code: 'PRECONDITION_FAILED' })
})

test('R62: an invalid entity tag is a bad request', () => {
  for (const tag of ['7', '"7', '']) assert.throws(() => conditions({ 'if-match': tag }), { code: 'BAD_REQUEST' }, tag)
})

test('R63: If-Unmodified-Since is ignored beside If-Match, or if it is not an HTTP date', () => {
  assert.deepEqual(conditions({ 'if-unmodified-since': date }), { ...nothing, unmodifiedSince: time })
  assert.deepEqual(conditions({ 'if-unmodified-since': date, 'if-match': '"7"' }), { ...nothing, versions: [7] })
  assert.equal(conditions({ 'if-unmodified-since': 'yesterday' }), null)
})

test('R62: a create accepts no preconditions', () => {
  for (const name of ['if-match', 'if-none-match', 'if-unmodified-since']) {
    assert.throws(() => expectNoPreconditions(requestOf('/posts', { headers: { [name]: '*' } })), {
      code: 'BAD_REQUEST',
    })
  }
})

test('R61, R63, R64: the preconditions of a read are evaluated in the order of RFC 9110, 13.2.2', () => {
  const tag = '"3-a"'
  const unchanged = (headers: Record<string, string>, modified: number | null = time) =>
    isNotModified(headers, tag, modified)
  assert.equal(unchanged({}), false)
  assert.equal(unchanged({ 'if-none-match': tag }), true)
  assert.equal(unchanged({ 'if-none-match': 'W/"3-a"' }), true)
  assert.equal(unchanged({ 'if-modified-since': date }), true)
  assert.equal(unchanged({ 'if-modified-since': date }, time + 999), true)
  assert.equal(unchanged({ 'if-modified-since': date }, time + 1000), false)
  assert.equal(unchanged({ 'if-modified-since': date }, null), false)
  assert.equal(unchanged({ 'if-modified-since': date, 'if-none-match': '"4-b"' }), false)
  assert.equal(unchanged({ 'if-match': tag, 'if-unmodified-since': date }, time + 5000), false)
  for (const headers of [{ 'if-match': '"4-b"' }, { 'if-unmodified-since': date }]) {
    assert.throws(() => unchanged(headers, time + 5000), { code: 'PRECONDITION_FAILED' })
  }
})

function conditions(headers: Record<string, string>) {
  return readWritePreconditions(requestOf('/posts/p1', { method: 'PATCH', headers }))
}
