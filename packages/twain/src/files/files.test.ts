import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanMediaType, cleanName } from './files.ts'

test('a name has no folders, no control characters, and is never empty', () => {
  const names: [string | undefined, string][] = [
    [undefined, 'file'],
    ['', 'file'],
    ['photo.png', 'photo.png'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\ann\\a.txt', 'a.txt'],
    ['..', 'file'],
    ['a/', 'file'],
    ['a\u0000b\r\nc', 'abc'],
    ['evil\u202egnp.exe', 'evilgnp.exe'],
    ['e\u0301te\u0301', '\u00e9t\u00e9'],
    ['half \ud800', 'half'],
    [' spaced ', 'spaced'],
  ]
  for (const [sent, name] of names) assert.equal(cleanName(sent), name, sent)
})

test('a long name is shortened before its extension', () => {
  const cut = cleanName(`${'é'.repeat(300)}.jpeg`)
  assert.equal([...cut].length, 255)
  assert.ok(cut.endsWith('é.jpeg'))
  assert.equal(cleanName('x'.repeat(400)).length, 255)
})

test('a media type is lower case without parameters, or application/octet-stream', () => {
  assert.equal(cleanMediaType('Image/PNG; q=1'), 'image/png')
  assert.equal(cleanMediaType('application/vnd.api+json'), 'application/vnd.api+json')
  for (const none of [undefined, '', 'png', 'a/b/c', 'a/b\r\nx: y', 'text/*', `a/${'b'.repeat(200)}`]) {
    assert.equal(cleanMediaType(none), 'application/octet-stream', none)
  }
})
