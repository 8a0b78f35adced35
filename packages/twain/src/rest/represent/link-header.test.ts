import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cursorLink, offsetLinks } from './link-header.ts'

test('R32: an offset page links to the first, the previous and the next page', () => {
  assert.equal(
    offsetLinks('/posts', ['status=DRAFT'], { limit: 20, offset: 10, more: true }),
    '</posts?status=DRAFT&offset=0&limit=20>; rel="first", ' +
      '</posts?status=DRAFT&offset=0&limit=20>; rel="prev", ' +
      '</posts?status=DRAFT&offset=30&limit=20>; rel="next"',
  )
  assert.equal(
    offsetLinks('/posts', [], { limit: 5, offset: 0, more: false }),
    '</posts?offset=0&limit=5>; rel="first"',
  )
})

test('R32: a page with limit=0 has no next page', () => {
  assert.equal(offsetLinks('/posts', [], { limit: 0, offset: 3, more: true }), '</posts?offset=0&limit=0>; rel="first"')
})

test('R32: a long query is repeated in one link only', () => {
  const kept = [`title=${'x'.repeat(2000)}`]
  assert.match(
    offsetLinks('/posts', kept, { limit: 5, offset: 5, more: true }) ?? '',
    /^<[^,]*offset=10&limit=5>; rel="next"$/,
  )
  assert.equal(offsetLinks('/posts', kept, { limit: 5, offset: 5, more: false }), null)
})

test('R34: a cursor page links to the next one', () => {
  assert.equal(cursorLink('/posts', ['first=2'], 'a+b'), '</posts?first=2&after=a%2Bb>; rel="next"')
})

test('R34: a cursor too long for a header has no link', () => {
  assert.equal(cursorLink('/posts', [], 'x'.repeat(2001)), null)
})

test('characters that would end the link are encoded', () => {
  assert.equal(cursorLink('/posts', ['title=a>b"c'], 'x'), '</posts?title=a%3Eb%22c&after=x>; rel="next"')
})
