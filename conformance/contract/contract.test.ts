// `twain print --contract` against a running server: every line of its table of REST paths, every GraphQL operation, every status,
// and every sentence about methods, tokens, required fields, statuses and headers.
// stores: sqlite

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGraphqlOperations } from './check-graphql-operations.ts'
import { checkLimits } from './check-limits.ts'
import { checkOutcomes } from './check-outcomes.ts'
import { checkPages } from './check-pages.ts'
import { checkRestLines } from './check-rest-lines.ts'
import { checkSentences } from './check-sentences.ts'
import { checkRateLimit, checkStatuses } from './check-statuses.ts'
import { type ContractService, openExample, openOrchestra } from './contract-service.ts'

test('the contract of the blog is true', async (t) => {
  const service = await openExample(t, 'blog')
  await checkAll(service)
})

test('the contract of the chat is true', async (t) => {
  const service = await openExample(t, 'chat')
  await checkAll(service)
})

test('the contract of a schema with every directive is true', async (t) => {
  const service = await openOrchestra(t)
  assert.deepEqual(await checkOutcomes(service), [])
  await checkAll(service)
})

async function checkAll(service: ContractService): Promise<void> {
  assert.deepEqual(await checkStatuses(service), [])
  assert.deepEqual(await checkRateLimit(service), [])
  assert.deepEqual(await checkLimits(service), [])
  await checkPages(service)
  assert.deepEqual(await checkSentences(service), [])
  assert.deepEqual(await checkRestLines(service), [])
  assert.deepEqual(await checkGraphqlOperations(service), [])
}
