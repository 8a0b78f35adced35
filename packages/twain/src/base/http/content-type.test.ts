import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeBody, isUtf8Charset, readContentType } from './content-type.ts'

test('a content type is read in any case, with its charset', () => {
  assert.deepEqual(readContentType('Application/JSON'), { type: 'application/json', charset: null })
  assert.deepEqual(readContentType('text/xml ; a=b; Charset="UTF-8"'), { type: 'text/xml', charset: 'utf-8' })
  assert.deepEqual(readContentType(undefined), { type: '', charset: null })
})

test('UTF-8 has two names; what says none of them is another charset', () => {
  for (const sent of ['a/b', 'a/b;charset=utf-8', 'a/b; charset=UTF8', 'a/b; charset="utf-8"']) {
    assert.equal(isUtf8Charset(readContentType(sent)), true, sent)
  }
  for (const sent of ['a/b;charset=latin1', 'a/b; charset=utf-16', 'a/b; charset=']) {
    assert.equal(isUtf8Charset(readContentType(sent)), false, sent)
  }
})

test('a body is UTF-8, with or without a byte order mark', () => {
  assert.equal(decodeBody(Buffer.from('Zoë')), 'Zoë')
  assert.equal(decodeBody(Buffer.from('\ufeff{}')), '{}')
  assert.throws(() => decodeBody(Buffer.from([0xff])), { code: 'BAD_REQUEST' })
})
