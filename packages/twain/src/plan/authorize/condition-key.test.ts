import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { conditionKey } from './condition-key.ts'
import { viewerClassOf } from './viewer-class.ts'
import { ViewerRules } from './viewer-rules.ts'

const model = loadModel(
  `type User @account @allow { id: ID! email: String! @unique role: String }
  type Tag @allow { id: ID! name: String! posts: [Post!]! }
  type Post @allow { id: ID! title: String author: User meta: JSON size: BigInt parts: Parts tags: [Tag!]! }
  type Parts { title: String body: String }`,
  'a.graphql',
)
const post = model.resources.find(({ name }) => name === 'Post')!
const rules = new ViewerRules(
  model,
  viewerClassOf({ account: 'ann', roles: [], authenticated: true, token: null }, model),
)

test('conditions share a key exactly if they are equal', () => {
  const filters = [
    { title: { eq: 'a' } },
    { title: { eq: 'b' } },
    { title: { ne: 'a' } },
    { title: { in: ['a', 'b'] } },
    { title: { in: ['a,b'] } },
    { title: { isNull: true } },
    { title: { isNull: false } },
    { parts: { title: { eq: 'a' } } },
    { parts: { body: { eq: 'a' } } },
    { size: { gt: '9007199254740993' } },
    { author: { isNull: true } },
    { author: { isViewer: true } },
    { author: { email: { eq: 'a' } } },
    { tags: { some: { name: { eq: 'a' } } } },
    { tags: { none: { name: { eq: 'a' } } } },
    { tags: { some: {} } },
    { and: [{ title: { eq: 'a' } }, { title: { eq: 'b' } }] },
    { or: [{ title: { eq: 'a' } }, { title: { eq: 'b' } }] },
    { not: { title: { eq: 'a' } } },
  ]
  const keys = filters.map((filter) => conditionKey(rules.filter(filter, post)))
  assert.equal(new Set(keys).size, filters.length, keys.join('\n'))
  const again = filters.map((filter) => conditionKey(rules.filter(structuredClone(filter), post)))
  assert.deepEqual(again, keys)
})
