import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodedTag, plainTag } from './entity-tag.ts'

test('a tag of compressed bytes is another one, and leads back to that of the plain bytes', () => {
  for (const coding of ['gzip', 'br', 'zstd']) {
    assert.equal(encodedTag('"7-abc"', coding), `"7-abc+${coding}"`)
    assert.equal(plainTag(encodedTag('"7-abc"', coding)), '"7-abc"')
  }
  assert.equal(plainTag('"7-abc"'), '"7-abc"')
  assert.equal(plainTag('"a-br"'), '"a-br"')
})
