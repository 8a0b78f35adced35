import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRecord, parseJson } from './json.ts'

test('valid JSON is parsed', () => {
  assert.deepEqual(parseJson('{"a": [1, null]}'), { ok: true, value: { a: [1, null] } })
})

test('a syntax error names its line and column', () => {
  for (const [text, message] of [
    ['{"a": x}', 'unexpected "x" at line 1, column 7.'],
    ['{"a": 1,\n "b" 2}', 'unexpected "2" at line 2, column 6.'],
    ['{"a": 1,}', 'unexpected "}" at line 1, column 9.'],
    ['[1 2]', 'unexpected "2" at line 1, column 4.'],
    ['[1}', 'unexpected "}" at line 1, column 3.'],
    ['{} {}', 'unexpected "{" at line 1, column 4.'],
    ['{a: 1}', 'unexpected "a" at line 1, column 2.'],
    ['"\\x"', 'unexpected "\\"" at line 1, column 1.'],
    ['01', 'unexpected "1" at line 1, column 2.'],
    ['{"a": [1,', 'it ends too early.'],
    ['', 'it is empty.'],
    [' \n', 'it is empty.'],
    ['💥', 'unexpected "💥" at line 1, column 1.'],
  ] as const) {
    assert.deepEqual(parseJson(text), { ok: false, message }, text)
  }
})

test('JSON deeper than 64 levels is refused, however deep it is', () => {
  assert.equal(parseJson('['.repeat(64) + ']'.repeat(64)).ok, true)
  for (const depth of [65, 100_000]) {
    const parsed = parseJson('['.repeat(depth) + ']'.repeat(depth))
    assert.deepEqual(parsed, { ok: false, message: 'it is nested deeper than 64 levels.' })
  }
})

test('brackets in strings are no levels', () => {
  for (const text of ['[', '\\"[', '\\\\', '{"', '\\\\\\"{']) {
    const value = Array.from({ length: 70 }, () => text)
    assert.deepEqual(parseJson(JSON.stringify(value)), { ok: true, value })
    const deep = `${JSON.stringify(value).slice(0, -1)},${'['.repeat(64)}${']'.repeat(64)}]`
    assert.equal(parseJson(deep).ok, false, deep)
  }
})

test('an object is a record; null, lists and plain values are none', () => {
  assert.deepEqual([{}, { a: 1 }, JSON.parse('{"a":{}}')].map(isRecord), [true, true, true])
  assert.deepEqual([null, undefined, [], 'a', 1, true].filter(isRecord), [])
})

test('a name twice in one object is a mistake, with its place', () => {
  for (const [text, message] of [
    ['{"a":1,"a":2}', '"a" appears twice in one object, at line 1, column 8.'],
    ['{"a":{"b":1},\n "c":[{"b":1,"x":"}:{","b":2}]}', '"b" appears twice in one object, at line 2, column 24.'],
    ['{"a":1,"\\u0061":2}', '"a" appears twice in one object, at line 1, column 8.'],
  ] as const) {
    assert.deepEqual(parseJson(text), { ok: false, message })
  }
  for (const text of ['{"a":{"a":{"a":":"}},"b":[{"a":1},{"a":1}]}', '{"__proto__":1,"constructor":2}', '":"', '[]']) {
    assert.equal(parseJson(text).ok, true, text)
  }
})
