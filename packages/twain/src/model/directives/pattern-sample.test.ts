import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchingText } from './pattern-sample.ts'

test('a text that matches is as short as the pattern lets it be, and as long as is asked', () => {
  assert.equal(matchingText('^[a-z][a-z0-9_]{2,29}$'), 'aaa')
  assert.equal(matchingText('^[a-z][a-z0-9_]{2,29}$', 6), 'aaaaaa')
  assert.equal(matchingText('^(?:DE|AT)-\\d{4}$'), 'DE-0000')
  assert.equal(matchingText('^[A-Z]{3}( [A-Z]+)*$', 5), 'AAA AA')
})

test('where none is found there is none', () => {
  assert.equal(matchingText('^(?=b)[a-b]$'), null)
  assert.equal(matchingText('^a$', 2), null)
})
