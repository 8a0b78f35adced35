import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResponseError } from '../document/response-errors.ts'
import { formatErrors, formatResults } from './format.ts'

const error: ResponseError = { message: 'm', extensions: { code: 'CONFLICT' } }

test('the texts of root fields are joined unparsed', () => {
  const results = [
    { key: 'a', text: '[1.10]', errors: [] },
    { key: 'b', text: 'null', errors: [] },
  ]
  assert.equal(formatResults(results), '{"data":{"a":[1.10],"b":null}}')
  assert.equal(formatResults([]), '{"data":{}}')
})

test('an error makes its field null, or `data` if the field is non-null', () => {
  const results = [
    { key: 'a', text: '1', errors: [] },
    { key: 'b', error, isNullable: true },
  ]
  const errorsText = '{"errors":[{"message":"m","extensions":{"code":"CONFLICT"}}]'
  assert.equal(formatResults(results), `${errorsText},"data":{"a":1,"b":null}}`)
  assert.equal(
    formatResults([...results, { key: 'c', error, isNullable: false }].slice(1)).endsWith('"data":null}'),
    true,
  )
})

test('errors inside a root field are listed in `errors`', () => {
  const errorsText = '{"errors":[{"message":"m","extensions":{"code":"CONFLICT"}}]'
  assert.equal(formatResults([{ key: 'a', text: '1', errors: [error] }]), `${errorsText},"data":{"a":1}}`)
})

test('a request that did not run has no `data`', () => {
  assert.deepEqual(JSON.parse(formatErrors([error])), { errors: [error] })
})
