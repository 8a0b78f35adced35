// `twain print --contract` against a running server: every line of its table of REST paths, every GraphQL operation, every status,
// and every sentence about methods, tokens, required fields, statuses and headers.
// stores: sqlite

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkRestLines } from './check-rest-lines.ts'
import { openExample, openOrchestra } from './contract-service.ts'

test('the contract of the blog is true', async (t) => {
  const service = await openExample(t, 'blog')
  assert.deepEqual(await checkRestLines(service), [])
})

test('the contract of the chat is true', async (t) => {
  const service = await openExample(t, 'chat')
  assert.deepEqual(await checkRestLines(service), [])
})

test('the contract of a schema with every directive is true', async (t) => {
  const service = await openOrchestra(t)
  assert.deepEqual(await checkRestLines(service), [])
})
