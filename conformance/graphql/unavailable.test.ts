// While the store is unavailable, a GraphQL request that read nothing is a 503 with `Retry-After`, as in REST.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { bodyText } from '../../packages/twain/src/base/http/index.ts'
import { ApiError } from '../../packages/twain/src/base/index.ts'
import { openApis, type TestApis } from '../harness/open-apis.ts'

const sdl = `
type Score @allow { id: ID!, title: String! }
type Part @allow { id: ID!, desk: Int! }
`

/** `Part` can be read, `Score` can't. */
async function openWithoutScores(t: TestContext): Promise<TestApis> {
  const apis = await openApis(sdl, {}, (plan) => {
    if ('of' in plan && plan.of.name === 'Score') throw unreachable()
    return plan
  })
  t.after(() => apis.close())
  return apis
}

function unreachable(): ApiError {
  return new ApiError('UNAVAILABLE', 'The database is unreachable.', { headers: { 'retry-after': '7' } })
}

async function post(apis: TestApis, body: unknown, accept = 'application/json') {
  const headers = { 'content-type': 'application/json', accept }
  const reply = await apis.send('graphql', { method: 'POST', path: '/graphql', headers, body: JSON.stringify(body) })
  const { status, headers: fields } = reply
  return { status, retryAfter: fields['retry-after'], type: fields['content-type'], text: await bodyText(reply) }
}

test('a request that read nothing is a 503 with Retry-After, and its body is a GraphQL response', async (t) => {
  const apis = await openWithoutScores(t)
  const documents = [
    '{ scores { title } }',
    '{ score(id: "1") { title } }',
    '{ __typename scores { title } score(id: "1") { title } }',
    'mutation { createScore(input: {title: "a"}) { id } createPart(input: {desk: 1}) { id } }',
  ]
  for (const query of documents) {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const { status, retryAfter, type, text } = await post(apis, { query }, accept)
      assert.deepEqual([status, retryAfter], [503, '7'], `${query} as ${accept}`)
      assert.ok(String(type).startsWith(accept), String(type))
      assert.match(text, /"code":"UNAVAILABLE"/)
    }
  }
  const read = await apis.send('graphql', { method: 'GET', path: '/graphql?query={scores{title}}' })
  assert.deepEqual(
    [read.status, read.headers['retry-after'], read.headers['cache-control'], read.headers.etag],
    [503, '7', 'no-store', undefined],
  )
})

test('partial answers, other errors and batches stay 200', async (t) => {
  const apis = await openWithoutScores(t)
  const requests = [
    { query: '{ parts { desk } scores { title } }' },
    { query: '{ scores { title } __schema { queryType { name } } }' },
    { query: 'mutation { createPart(input: {desk: 1}) { id } createScore(input: {title: "a"}) { id } }' },
    { query: '{ parts(limit: 1000) { desk } scores { title } }' },
    [{ query: '{ scores { title } }' }],
  ]
  for (const body of requests) {
    const { status, retryAfter } = await post(apis, body)
    assert.deepEqual([status, retryAfter], [200, undefined], JSON.stringify(body))
  }
})
