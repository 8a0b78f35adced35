import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestOf } from '../blog.fixture.ts'
import { httpDate, parseHttpDate, parseRange, prefersCount } from './headers.ts'

test('R33: only count=exact is recognized, also among other preferences', () => {
  const options = (prefer: string) => prefersCount(requestOf('/posts', { headers: { prefer } }))
  for (const prefer of ['count=exact', 'respond-async, count=exact', 'Count="exact"; x=y'])
    assert.equal(options(prefer), true)
  for (const prefer of ['count=planned', 'discount=exact', '']) assert.equal(options(prefer), false)
  assert.equal(prefersCount(requestOf('/posts')), false)
})

test('R106: one range is returned, cut at the end of the file', () => {
  assert.deepEqual(parseRange('bytes=0-0', 10), { start: 0, end: 1 })
  assert.deepEqual(parseRange(' bytes=3-', 10), { start: 3, end: 10 })
  assert.deepEqual(parseRange('Bytes=3-99999999999999999999', 10), { start: 3, end: 10 })
  assert.deepEqual(parseRange('bytes=-4', 10), { start: 6, end: 10 })
})

test('R106: a range beyond the end is not satisfiable', () => {
  for (const range of ['bytes=10-', 'bytes=10-12', 'bytes=-0'])
    assert.equal(parseRange(range, 10), 'unsatisfiable', range)
  for (const range of ['bytes=0-', 'bytes=-1', 'bytes=0-0']) assert.equal(parseRange(range, 0), 'unsatisfiable', range)
})

test('R106: an invalid range, or several, are ignored', () => {
  for (const range of [undefined, '', 'bytes=', 'bytes=-', 'bytes=2-1', 'bytes=1-2,4-5', 'items=1-2', 'bytes=1.5-2']) {
    assert.equal(parseRange(range, 10), null, range)
  }
})

const time = Date.UTC(1994, 10, 6, 8, 49, 37)

test('R63: three formats of HTTP dates are read, and one is written', () => {
  for (const text of ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994']) {
    assert.equal(parseHttpDate(text), time, text)
  }
  assert.equal(httpDate(time + 999), 'Sun, 06 Nov 1994 08:49:37 GMT')
})

test('R63: other text is not an HTTP date', () => {
  for (const text of [undefined, '', '0', '1994-11-06T08:49:37Z', 'Sun, 36 Nov 1994 08:49:37 GMT', 'yesterday']) {
    assert.equal(parseHttpDate(text), null, text)
  }
})
