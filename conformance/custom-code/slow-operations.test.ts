// Custom operations that take long: they run side by side in one query, and end at their time limit.
// stores: sqlite

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { openApis, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type Note @allow { id: ID! text: String! }
  extend type Query { meet(who: String!): String! never: String }
  extend type Mutation { note(text: String!): String! }
`

const running = new Set<string>()
let bothAreHere = Promise.withResolvers<void>()

const service: ServiceCode = {
  resolvers: {
    Query: {
      /** Answers only when two of them run. */
      async meet({ who }) {
        running.add(String(who))
        if (running.size === 2) bothAreHere.resolve()
        await bothAreHere.promise
        return `${who} of ${[...running].toSorted()}`
      },
      never: () => new Promise(() => {}),
    },
    Mutation: {
      async note({ text }) {
        const others = [...running]
        running.add(String(text))
        await new Promise((resolve) => setImmediate(resolve))
        running.delete(String(text))
        return String(others)
      },
    },
  },
}

describe('slow custom operations', () => {
  let apis: TestApis
  before(async () => {
    apis = await openApis(sdl, { codeSeconds: 1 }, undefined, undefined, undefined, { service })
  })
  after(() => apis.close())

  test('the custom operations of a query run side by side, in the order of the request in the answer', async () => {
    bothAreHere = Promise.withResolvers()
    const { data } = await apis.graphql('{ a: meet(who: "ann") notes { id } b: meet(who: "bob") }')
    assert.equal(JSON.stringify(data), '{"a":"ann of ann,bob","notes":[],"b":"bob of ann,bob"}')
    running.clear()
  })

  test('those of a mutation run one after another', async () => {
    const { data } = await apis.graphql('mutation { a: note(text: "1") b: note(text: "2") }')
    assert.deepEqual(data, { a: '', b: '' })
  })

  test('one that takes too long is a 503 with Retry-After', async () => {
    const { status, headers } = await apis.rest('GET', '/never')
    assert.deepEqual([status, headers['retry-after']], [503, '1'])
    const { errors } = await apis.graphql('{ never }')
    assert.equal(errors[0]?.extensions?.code, 'UNAVAILABLE')
  })
})
