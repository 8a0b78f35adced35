import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { requireRules, withoutRules } from './require-rules.ts'

const load = (sdl: string) => loadModel(sdl, 'test.graphql')

test('without an account type each resource needs rules', () => {
  const model = load('type A @allow { id: ID! }\ntype B { id: ID! }\ntype C { id: ID! }')
  assert.throws(() => requireRules(model), /These types have no access rules:\n {2}- type B\n {2}- type C\nAdd @allow/)
  assert.deepEqual(withoutRules(model), ['B', 'C'])
})

test('an account type, or @allow on each resource, is enough', () => {
  requireRules(load('type User @account { id: ID!, email: String! @unique }\ntype B { id: ID! }'))
  requireRules(load('type A @allow(to: [READ]) { id: ID! }'))
})
