import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forbiddenMarker, hasForbiddenFields, replaceForbiddenFields } from './forbidden-field.ts'

const text = JSON.stringify({ a: [{ b: forbiddenMarker, c: 1 }], d: null })

test('a refused member is found by its path, and something else stands in its place', () => {
  const paths: unknown[] = []
  const answer = replaceForbiddenFields(text, (path) => {
    paths.push(path)
    return null
  })
  assert.deepEqual(answer, { a: [{ b: null, c: 1 }], d: null })
  assert.deepEqual(paths, [['a', 0, 'b']])
})

test('or it is left out', () => {
  assert.deepEqual(
    replaceForbiddenFields(text, () => undefined),
    { a: [{ c: 1 }], d: null },
  )
})

test('a text without refusals is known as such at a glance', () => {
  assert.deepEqual([hasForbiddenFields(text), hasForbiddenFields('{"a":"refused:"}')], [true, false])
})
