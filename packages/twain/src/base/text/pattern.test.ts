import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesPattern } from './pattern.ts'

test('a pattern is found anywhere, in characters and not in halves of them, as often as it is asked', () => {
  for (const _ of [1, 2]) {
    assert.equal(matchesPattern('abc', 'b+'), true)
    assert.equal(matchesPattern('𝄞', '^.$'), true)
    assert.equal(matchesPattern('abc', '^b'), false)
  }
})
