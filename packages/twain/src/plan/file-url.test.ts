import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasSignatures, signatureMarker, withSignatures } from './file-url.ts'

test('each marker becomes the signature of its file, and nothing else is touched', () => {
  const text = `[{"url":"/files/a-1${signatureMarker}"},{"url":"/files/b"},{"x":"/files/c${'signed:'}"}]`
  assert.ok(hasSignatures(text))
  const signed = withSignatures(text, (id) => `?signature=${id}`)
  assert.equal(signed, '[{"url":"/files/a-1?signature=a-1"},{"url":"/files/b"},{"x":"/files/csigned:"}]')
  assert.ok(!hasSignatures(signed))
})
