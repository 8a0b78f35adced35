// `twain print --contract` against a running server: every line of its table of REST paths, every GraphQL operation, every status,
// and every sentence about methods, tokens, required fields, statuses and headers.
// stores: sqlite

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkGraphqlOperations } from './check-graphql-operations.ts'
import { checkLimits } from './check-limits.ts'
import { checkOutcomes } from './check-outcomes.ts'
import { checkPages } from './check-pages.ts'
import { checkRestLines } from './check-rest-lines.ts'
import { checkSentences } from './check-sentences.ts'
import { checkRateLimit, checkStatuses } from './check-statuses.ts'
import { type ContractService, openExample } from './contract-service.ts'
import { openOrchestra } from './orchestra.ts'

// The checks wait for times and for passwords, each for its own server: they run side by side.
describe('the contract of', { concurrency: true }, () => {
  test('the blog is true', async (t) => checkAll(await openExample(t, 'blog')))

  test('the chat is true', async (t) => checkAll(await openExample(t, 'chat')))

  test('a schema with every directive is true', async (t) => {
    const service = await openOrchestra(t)
    assert.deepEqual(await checkOutcomes(service), [])
    await checkAll(service)
  })
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
