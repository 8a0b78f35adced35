import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from './catalogue.ts'

test('every code of docs/reference/errors.md, and the one that Apollo’s clients expect, has its status', () => {
  const statuses = Object.entries(catalogue).map(([code, { status }]) => `${code} ${status}`)

  assert.deepEqual(
    statuses.sort(),
    [
      'BAD_REQUEST 400',
      'VALIDATION_FAILED 400',
      'UNAUTHENTICATED 401',
      'FORBIDDEN 403',
      'REAUTHENTICATION_REQUIRED 403',
      'NOT_FOUND 404',
      'METHOD_NOT_ALLOWED 405',
      'NOT_ACCEPTABLE 406',
      'CONFLICT 409',
      'GONE 410',
      'PRECONDITION_FAILED 412',
      'PAYLOAD_TOO_LARGE 413',
      'UNSUPPORTED_MEDIA_TYPE 415',
      'IDEMPOTENCY_KEY_REUSED 422',
      'TOO_MANY_REQUESTS 429',
      'INTERNAL 500',
      'UNAVAILABLE 503',
      'GRAPHQL_PARSE_FAILED 400',
      'GRAPHQL_VALIDATION_FAILED 400',
      'PERSISTED_QUERY_NOT_FOUND 400',
      'QUERY_TOO_DEEP 400',
      'QUERY_TOO_COSTLY 400',
    ].sort(),
  )
})

test('every code has a title of its own', () => {
  const titles = Object.values(catalogue).map(({ title }) => title)

  assert.equal(new Set(titles).size, titles.length)
})
