import assert from 'node:assert/strict'
import { test } from 'node:test'
import { httpDate, parseHttpDate } from './http-date.ts'

const time = Date.UTC(1994, 10, 6, 8, 49, 37)

test('R63: three formats of HTTP dates are read, and one is written', () => {
  for (const text of ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994']) {
    assert.equal(parseHttpDate(text), time, text)
  }
  assert.equal(httpDate(time + 999), 'Sun, 06 Nov 1994 08:49:37 GMT')
})

test('R63: other text is not an HTTP date', () => {
  for (const text of [undefined, '', '0', '1994-11-06T08:49:37Z', 'Sun, 36 Nov 1994 08:49:37 GMT', 'yesterday']) {
    assert.equal(parseHttpDate(text), null, text)
  }
})
