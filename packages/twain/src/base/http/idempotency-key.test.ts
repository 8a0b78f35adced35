import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idempotencyKeyOf, readIdempotencyKey } from './idempotency-key.ts'
import { anonymous } from './viewer.ts'

test('a key may be quoted or not', () => {
  assert.equal(readIdempotencyKey(undefined), null)
  assert.equal(readIdempotencyKey('"a key"'), 'a key')
  assert.equal(readIdempotencyKey('a-key'), 'a-key')
  for (const wrong of ['', '""', '"a', 'a key', 'ä', '"a"b"', 'x'.repeat(256)]) {
    assert.throws(() => readIdempotencyKey(wrong), { code: 'BAD_REQUEST' }, wrong)
  }
})

test('a record is identified by viewer, key and operation, and has the fingerprint of the request', () => {
  const ann = { account: 'ann', roles: [], authenticated: true, token: 't1' }
  const one = idempotencyKeyOf('k', ann, 'POST /posts', ['body'])
  assert.deepEqual(idempotencyKeyOf('k', { ...ann, token: 't2' }, 'POST /posts', ['body']), one)
  for (const other of [
    idempotencyKeyOf('k', anonymous, 'POST /posts', ['body']),
    idempotencyKeyOf('l', ann, 'POST /posts', ['body']),
    idempotencyKeyOf('k', ann, 'POST /tags', ['body']),
  ]) {
    assert.notEqual(other.id, one.id)
  }
  assert.notEqual(idempotencyKeyOf('k', ann, 'POST /posts', ['bo', 'dy']).fingerprint, one.fingerprint)
  assert.notEqual(idempotencyKeyOf('l', ann, 'POST /posts', ['body']).fingerprint, one.fingerprint)
  assert.doesNotMatch(JSON.stringify(one), /ann|body/)
})
