import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePercent } from './percent.ts'

test('R21: percent-encoded UTF-8 is decoded', () => {
  assert.equal(decodePercent('caf%C3%A9'), 'café')
  assert.equal(decodePercent('plain'), 'plain')
  assert.equal(decodePercent(''), '')
})

test('R21: broken escapes, invalid UTF-8 and unencoded text are rejected', () => {
  for (const text of ['%zz', '%', '%E4', '%C3%28', '%ED%A0%80', 'café', 'a b', 'a\0']) {
    assert.equal(decodePercent(text), null, JSON.stringify(text))
  }
})
