// `@cacheControl` on both APIs.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { system } from '../../packages/twain/src/base/http/index.ts'
import { ApiError } from '../../packages/twain/src/base/index.ts'
import type { ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { openApis } from '../harness/open-apis.ts'

test('R65: a GraphQL GET may be cached as long as the same REST GET', async () => {
  const apis = await openApis('type Note @cacheControl(maxAge: 60) { id: ID! hits: Int @cacheControl(maxAge: 5) }')
  try {
    await apis.rest('PUT', '/notes/n1', { hits: 1 })
    const graphql = async (query: string) => {
      const path = `/graphql?query=${encodeURIComponent(query)}`
      return (await apis.send('graphql', { method: 'GET', path })).headers['cache-control']
    }
    const rest = async (path: string) => (await apis.rest('GET', path)).headers['cache-control']
    assert.equal(await rest('/notes/n1?fields=id'), 'public, max-age=60')
    assert.equal(await graphql('{ note(id: "n1") { id } }'), 'public, max-age=60')
    assert.equal(await rest('/notes?fields=hits'), 'public, max-age=5')
    assert.equal(await graphql('{ note(id: "n1") { id } notes { hits } }'), 'public, max-age=5')
    assert.equal(await graphql('{ note(id: "n1") { id } __typename }'), 'no-cache')
    assert.equal(await graphql('{ note(id: "n1") { nope } }'), 'no-cache')
    assert.equal(await graphql('{ note(id: "n1") @skip(if: true) { id } }'), 'no-cache', 'nothing is in it')
  } finally {
    await apis.close()
  }
})

test('no cache keeps who may do what, on either API', async () => {
  const apis = await openApis('type Note { id: ID! }')
  try {
    const graphql = async (query: string) => {
      const path = `/graphql?query=${encodeURIComponent(query)}`
      const { status, headers } = await apis.send('graphql', { method: 'GET', path })
      return [status, headers['cache-control']]
    }
    assert.equal((await apis.rest('GET', '/docs/access')).headers['cache-control'], 'no-store')
    assert.deepEqual(await graphql('{ accessMatrix { viewers } }'), [200, 'no-store'])
  } finally {
    await apis.close()
  }
})

test('R65: answers of custom code may be cached as the schema says of their field, and shared only where it says PUBLIC', async () => {
  const sdl = `
    type Note @cacheControl(maxAge: 60) @allow(to: [READ]) { id: ID! text: String
      loud: String @computed(from: ["text"]) @cacheControl(maxAge: 20, scope: PUBLIC) }
    type Query {
      plain: Int
      news: Int @cacheControl(maxAge: 30, scope: PUBLIC)
      mine: Int @cacheControl(maxAge: 30)
      noAge: Int @cacheControl(scope: PUBLIC)
      top: [Note!]! @cacheControl(maxAge: 90, scope: PUBLIC)
      fails: Int @cacheControl(maxAge: 30, scope: PUBLIC)
    }`
  const failing = () => {
    throw new ApiError('CONFLICT', 'It is sold out.')
  }
  const service: ServiceCode = {
    resolvers: {
      Note: {
        loud: (rows: readonly { text?: string }[]) => rows.map(({ text }) => (text === 'bad' ? failing() : `${text}!`)),
      },
      Query: { plain: () => 1, news: () => 2, mine: () => 3, noAge: () => 4, top: () => ['n1'], fails: failing },
    },
  }
  const apis = await openApis(sdl, {}, undefined, undefined, undefined, { service })
  try {
    await apis.as(system).rest('PUT', '/notes/n1', { text: 'a' })
    await apis.as(system).rest('PUT', '/notes/n2', { text: 'bad' })
    const both = async (query: string, path: string) => {
      const text = { method: 'GET', path: `/graphql?query=${encodeURIComponent(query)}` }
      const replies = [await apis.send('graphql', text), await apis.send('rest', { method: 'GET', path })]
      return replies.map(({ headers }) => headers['cache-control'])
    }
    const onBothApis = (control: string) => [control, control]
    assert.deepEqual(await both('{ plain }', '/plain'), onBothApis('private, no-cache'))
    assert.deepEqual(await both('{ news }', '/news'), onBothApis('public, max-age=30'))
    assert.deepEqual(await both('{ mine }', '/mine'), onBothApis('private, max-age=30'))
    assert.deepEqual(await both('{ noAge }', '/no-age'), onBothApis('private, no-cache'))
    assert.deepEqual(await both('{ top { text } }', '/top?fields=text'), onBothApis('public, max-age=90'))
    assert.deepEqual(await both('{ top { loud } }', '/top?fields=loud'), onBothApis('public, max-age=20'))
    assert.deepEqual(
      await both('{ note(id: "n1") { loud } }', '/notes/n1?fields=loud'),
      onBothApis('public, max-age=20'),
    )
    const failed = ['private, no-cache', 'no-store']
    assert.deepEqual(
      await both('{ note(id: "n2") { loud } }', '/notes/n2?fields=loud'),
      failed,
      'what failed is not cached',
    )
    assert.notEqual((await both('{ fails }', '/fails'))[0], 'public, max-age=30')
  } finally {
    await apis.close()
  }
})
