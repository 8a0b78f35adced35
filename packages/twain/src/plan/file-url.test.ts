import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasSignatureMarkers, replaceSignatureMarkers, signatureMarker } from './file-url.ts'

test('each marker becomes the signature of its file, and nothing else is touched', () => {
  const text = `[{"url":"/files/a-1${signatureMarker}"},{"url":"/files/b"},{"x":"/files/c${'signed:'}"}]`
  assert.ok(hasSignatureMarkers(text))
  const signed = replaceSignatureMarkers(text, (id) => `?signature=${id}`)
  assert.equal(signed, '[{"url":"/files/a-1?signature=a-1"},{"url":"/files/b"},{"x":"/files/csigned:"}]')
  assert.ok(!hasSignatureMarkers(signed))
})
