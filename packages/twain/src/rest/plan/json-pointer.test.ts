import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePointer, printPointer } from './json-pointer.ts'

test('R49: the pointers of RFC 6901, section 5', () => {
  for (const [text, names] of [
    ['', []],
    ['/foo/0', ['foo', '0']],
    ['/', ['']],
    ['/a~1b', ['a/b']],
    ['/m~0n', ['m~n']],
    ['/~01', ['~1']],
    ['/ ', [' ']],
  ] as const) {
    assert.deepEqual(parsePointer(text), names, text)
    assert.equal(printPointer(names), text)
  }
  for (const text of ['foo', '#/foo', '/~', '/~2', '/a~']) assert.equal(parsePointer(text), null, text)
})
