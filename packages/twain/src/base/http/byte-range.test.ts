import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRange } from './byte-range.ts'

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
