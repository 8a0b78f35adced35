import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patternExample } from './pattern-sample.ts'

test('a sample is as short as the pattern allows, and as long as requested', () => {
  assert.equal(patternExample('^[a-z][a-z0-9_]{2,29}$'), 'aaa')
  assert.equal(patternExample('^[a-z][a-z0-9_]{2,29}$', 6), 'aaaaaa')
  assert.equal(patternExample('^(?:DE|AT)-\\d{4}$'), 'DE-0000')
  assert.equal(patternExample('^[A-Z]{3}( [A-Z]+)*$', 5), 'AAA AA')
})

test('the sample is null if no text is found', () => {
  assert.equal(patternExample('^(?=b)[a-b]$'), null)
  assert.equal(patternExample('^a$', 2), null)
})
