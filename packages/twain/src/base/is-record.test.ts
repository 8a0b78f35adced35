import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRecord } from './is-record.ts'

test('an object is a record; null, lists and plain values are none', () => {
  assert.deepEqual([{}, { a: 1 }, JSON.parse('{"a":{}}')].map(isRecord), [true, true, true])
  assert.deepEqual([null, undefined, [], 'a', 1, true].filter(isRecord), [])
})
