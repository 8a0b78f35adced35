import assert from 'node:assert/strict'
import { test } from 'node:test'
import { combineFields } from './combine-fields.ts'

test('values of a repeated header field are in one line, in their order', () => {
  const fields = ['vary', 'accept-encoding', 'x-request-id', 'vary', 'vary', 'origin', 'etag', '"1"', 'vary', 'accept']

  combineFields(fields)

  assert.deepEqual(fields, ['vary', 'accept-encoding, origin, accept', 'x-request-id', 'vary', 'etag', '"1"'])
})

test('a list of values stays a list', () => {
  const fields = ['set-cookie', ['a=1', 'b=2'], 'vary', 'origin']

  combineFields(fields)

  assert.deepEqual(fields, ['set-cookie', ['a=1', 'b=2'], 'vary', 'origin'])
})
