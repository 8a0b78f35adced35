import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodedTag, entityTags, itemTag, matchesEntityTag, pageTag, plainTag } from './entity-tag.ts'

test('R60: the tag of an item names its version and its bytes, the tag of a page its bytes', () => {
  assert.match(itemTag(7, '{}'), /^"7-[\w-]{16}"$/)
  assert.match(pageTag('[]'), /^"[\w-]{16}"$/)
  assert.notEqual(itemTag(7, '{}'), itemTag(7, '{"a":1}'))
  assert.notEqual(itemTag(7, '{}'), itemTag(8, '{}'))
})

test('R61: If-None-Match matches the tag alone, in a list, weakly, or as *', () => {
  for (const header of ['"1-a"', '"0-x", "1-a"', 'W/"1-a"', '*', ' * ', '"x",,"1-a"']) {
    assert.equal(matchesEntityTag('"1-a"', header), true, header)
  }
  for (const header of [undefined, '"1-b"', '1-a', '"1-a', ''])
    assert.equal(matchesEntityTag('"1-a"', header), false, header)
})

test('a tag in a list may contain commas', () => {
  assert.deepEqual(entityTags('"a,b", W/"c"'), ['"a,b"', 'W/"c"'])
  assert.equal(entityTags('a, b'), null)
})

test('compressed bytes have a tag of their own, which maps back to the tag of the plain bytes', () => {
  for (const coding of ['gzip', 'br', 'zstd']) {
    assert.equal(encodedTag('"7-abc"', coding), `"7-abc+${coding}"`)
    assert.equal(plainTag(encodedTag('"7-abc"', coding)), '"7-abc"')
  }
  assert.equal(plainTag('"7-abc"'), '"7-abc"')
  assert.equal(plainTag('"a-br"'), '"a-br"')
})
