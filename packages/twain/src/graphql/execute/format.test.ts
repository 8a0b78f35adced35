import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResponseError } from '../document/response-errors.ts'
import { formatErrors, formatResults } from './format.ts'

const error: ResponseError = { message: 'm', extensions: { code: 'CONFLICT' } }

test('texts are put together unparsed', () => {
  const results = [
    { key: 'a', text: '[1.10]', errors: [] },
    { key: 'b', text: 'null', errors: [] },
  ]
  assert.equal(formatResults(results), '{"data":{"a":[1.10],"b":null}}')
  assert.equal(formatResults([]), '{"data":{}}')
})

test('an error leaves null in its place, or makes all null where null may not be', () => {
  const results = [
    { key: 'a', text: '1', errors: [] },
    { key: 'b', error, isNullable: true },
  ]
  const told = '{"errors":[{"message":"m","extensions":{"code":"CONFLICT"}}]'
  assert.equal(formatResults(results), `${told},"data":{"a":1,"b":null}}`)
  assert.equal(
    formatResults([...results, { key: 'c', error, isNullable: false }].slice(1)).endsWith('"data":null}'),
    true,
  )
})

test('what was refused inside an answer is told beside it', () => {
  const told = '{"errors":[{"message":"m","extensions":{"code":"CONFLICT"}}]'
  assert.equal(formatResults([{ key: 'a', text: '1', errors: [error] }]), `${told},"data":{"a":1}}`)
})

test('a request that was not run has no data at all', () => {
  assert.deepEqual(JSON.parse(formatErrors([error])), { errors: [error] })
})
