import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureMarker, forbiddenMarker, signatureMarker } from './markers.ts'

const forbidden = JSON.stringify({ a: [{ b: forbiddenMarker.text, c: 1 }], d: null })

test('each forbidden member is found by its path and replaced', () => {
  const paths: unknown[] = []
  const result = forbiddenMarker.replaceIn(forbidden, (path) => {
    paths.push(path)
    return null
  })
  assert.deepEqual(result, { a: [{ b: null, c: 1 }], d: null })
  assert.deepEqual(paths, [['a', 0, 'b']])
})

test('a forbidden member can be left out', () => {
  assert.deepEqual(
    forbiddenMarker.replaceIn(forbidden, () => undefined),
    { a: [{ c: 1 }], d: null },
  )
})

test('a text without a forbidden member is recognized without parsing', () => {
  assert.deepEqual([forbiddenMarker.isIn(forbidden), forbiddenMarker.isIn('{"a":"forbidden:"}')], [true, false])
})

test('each signature marker becomes the signature of its file, and nothing else changes', () => {
  const text = `[{"url":"/files/a-1${signatureMarker.text}"},{"url":"/files/b"},{"x":"/files/c${'signed:'}"}]`
  assert.ok(signatureMarker.isIn(text))
  const signed = signatureMarker.replaceIn(text, (id) => `?signature=${id}`)
  assert.equal(signed, '[{"url":"/files/a-1?signature=a-1"},{"url":"/files/b"},{"x":"/files/csigned:"}]')
  const variant = `{"url":"/api/files/a-1?width=320&format=WEBP${signatureMarker.text}"}`
  const replaced = signatureMarker.replaceIn(variant, (id, query) => `?${query}&signature=${id}`)
  assert.equal(replaced, '{"url":"/api/files/a-1?width=320&format=WEBP&signature=a-1"}')
  assert.ok(!signatureMarker.isIn(signed))
})

test('a failure marker carries its index, and other values are no markers', () => {
  assert.equal(failureMarker.read(failureMarker.write(12)), 12)
  assert.deepEqual(['failed:12', null, 3].map(failureMarker.read), [null, null, null])
})
