import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodedTag, entityTags, itemTag, matchesEntityTag, pageTag, plainTag } from './entity-tag.ts'

test('R60: the tag of an item names its version and its bytes, the tag of a page its bytes', () => {
  assert.match(itemTag(7, '{}'), /^"7-[\w-]{16}"$/)
  assert.match(pageTag('[]'), /^"[\w-]{16}"$/)
  assert.notEqual(itemTag(7, '{}'), itemTag(7, '{"a":1}'))
  assert.notEqual(itemTag(7, '{}'), itemTag(8, '{}'))
})

test('R61: If-None-Match knows the tag alone, in a list, weakly, or as a star', () => {
  for (const header of ['"1-a"', '"0-x", "1-a"', 'W/"1-a"', '*', ' * ', '"x",,"1-a"']) {
    assert.equal(matchesEntityTag('"1-a"', header), true, header)
  }
  for (const header of [undefined, '"1-b"', '1-a', '"1-a', ''])
    assert.equal(matchesEntityTag('"1-a"', header), false, header)
})

test('a list of tags may hold commas inside a tag', () => {
  assert.deepEqual(entityTags('"a,b", W/"c"'), ['"a,b"', 'W/"c"'])
  assert.equal(entityTags('a, b'), null)
})

test('a tag of compressed bytes is another one, and leads back to that of the plain bytes', () => {
  for (const coding of ['gzip', 'br', 'zstd']) {
    assert.equal(encodedTag('"7-abc"', coding), `"7-abc+${coding}"`)
    assert.equal(plainTag(encodedTag('"7-abc"', coding)), '"7-abc"')
  }
  assert.equal(plainTag('"7-abc"'), '"7-abc"')
  assert.equal(plainTag('"a-br"'), '"a-br"')
})
