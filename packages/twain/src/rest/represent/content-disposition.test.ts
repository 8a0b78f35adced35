import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileHeaders, fileNameOf } from './content-disposition.ts'

test('R105: a file name is escaped in the header, and reads back the same', () => {
  for (const name of [
    'plain.png',
    'a b.png',
    'é.png',
    '"quoted".png',
    'back\\slash',
    "it's (1)*.png",
    '100%.txt',
    '名前',
  ]) {
    const header = fileHeaders(name, 'image/png')['content-disposition']!
    assert.match(header, /^inline; filename="[\x20-\x7e]*"(; filename\*=UTF-8''[\w.~%!-]+)?$/, name)
    assert.equal(fileNameOf(header), name)
  }
})

test('R101: the name in a Content-Disposition, in each of its forms', () => {
  assert.equal(fileNameOf(undefined), undefined)
  assert.equal(fileNameOf('attachment'), undefined)
  assert.equal(fileNameOf('attachment; filename=a.png'), 'a.png')
  assert.equal(fileNameOf('attachment; filename="a \\"b\\".png"'), 'a "b".png')
  assert.equal(fileNameOf(`attachment; filename="x"; filename*=utf-8'en'%e2%82%ac`), '€')
  assert.equal(fileNameOf(`attachment; filename="x"; filename*=utf-8''%zz`), 'x')
})
