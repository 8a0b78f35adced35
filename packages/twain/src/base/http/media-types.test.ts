import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseType, decodeBody, isUtf8Charset, readContentType } from './media-types.ts'

const offers = ['application/json', 'application/xml', 'text/csv'] as const

test('the most specific range gives the quality, and the highest quality wins', () => {
  const choices: [string | undefined, string | null][] = [
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/*;q=0.1', 'application/json'],
    ['application/json', 'application/json'],
    ['Application/JSON; charset=utf-8', 'application/json'],
    ['text/*', 'text/csv'],
    ['application/xml', 'application/xml'],
    ['application/json;q=0.5, application/xml;q=0.8', 'application/xml'],
    ['text/csv, application/json', 'text/csv'],
    ['application/json;q=0, */*', 'application/xml'],
    ['application/json, */*;q=0', 'application/json'],
    ['image/*, text/plain', null],
    ['application/json;q=0', null],
  ]
  for (const [accept, expected] of choices) assert.equal(chooseType(accept, offers), expected, accept)
})

test('an invalid weight is ignored', () => {
  for (const weight of ['abc', '2', '-1', 'NaN']) {
    assert.equal(chooseType(`text/csv;q=${weight}, application/json;q=0.9`, offers), 'text/csv', weight)
  }
})

test('a browser gets the first offer that it accepts', () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
  assert.equal(chooseType(browser, offers), 'application/json')
  assert.equal(chooseType('text/html, application/xml', offers), 'application/xml')
  assert.equal(chooseType('text/html', offers), null)
})

test('a content type is read in any case, with its charset', () => {
  assert.deepEqual(readContentType('Application/JSON'), { type: 'application/json', charset: null })
  assert.deepEqual(readContentType('text/xml ; a=b; Charset="UTF-8"'), { type: 'text/xml', charset: 'utf-8' })
  assert.deepEqual(readContentType(undefined), { type: '', charset: null })
})

test('UTF-8 has two names; any other name is another charset', () => {
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
