import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessage } from './messages.ts'

const subscribe = (payload: unknown) => readMessage(JSON.stringify({ type: 'subscribe', id: '1', payload }))

test('the members of a subscribe message may be left out or null', () => {
  for (const payload of [
    { query: '{ a }' },
    { query: '{ a }', variables: null, extensions: null, operationName: null },
    { query: 'query A { a }', variables: { a: 1 }, extensions: {}, operationName: 'A' },
    { documentId: 'sha256:abc' },
  ]) {
    assert.deepEqual(subscribe(payload), { type: 'subscribe', id: '1', payload })
  }
})

test('a subscribe message with a member of the wrong type is invalid', () => {
  for (const [payload, member] of [
    [{ query: '{ a }', variables: 'x' }, 'payload.variables must be an object'],
    [{ query: '{ a }', variables: [] }, 'payload.variables must be an object'],
    [{ query: '{ a }', extensions: 1 }, 'payload.extensions must be an object'],
    [{ query: '{ a }', operationName: 1 }, 'payload.operationName must be a string'],
    [{ query: 1 }, 'payload.query must be a string'],
    [null, 'payload.query must be a string'],
  ] as const) {
    assert.equal(subscribe(payload), `Invalid subscribe message: ${member}.`)
  }
})
