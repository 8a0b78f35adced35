import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortName } from './quote.ts'

test('a name of 63 bytes stays, and a longer one gets a unique short form', () => {
  const long = 'x'.repeat(63)
  assert.equal(shortName(long), long)
  const [one, two] = [shortName(`${long}1`), shortName(`${long}2`)]
  assert.equal(one.length, 63)
  assert.notEqual(one, two)
  assert.equal(one, shortName(`${long}1`))
})
