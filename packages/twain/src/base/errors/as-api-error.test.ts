import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from './api-error.ts'
import { asApiError } from './as-api-error.ts'

test('an error with a code of the catalogue is a fault, whoever made it', () => {
  const error = asApiError(Object.assign(new Error('Sold out.'), { code: 'CONFLICT', hint: 'Try tomorrow.' }))
  assert.ok(error instanceof ApiError)
  assert.deepEqual([error.code, error.message, error.hint], ['CONFLICT', 'Sold out.', 'Try tomorrow.'])
  assert.equal(asApiError(error), error)
})

test('any other error stays what it is', () => {
  for (const code of ['INTERNAL', 'ENOENT', 'toString', 7, undefined]) {
    const error = Object.assign(new Error('x'), { code })
    assert.equal(asApiError(error), error)
  }
  assert.equal(asApiError('x'), 'x')
})
