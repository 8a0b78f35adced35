import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { closedByOmission, openByOmission, requireRules } from './require-rules.ts'

const refusal = (start: string) => (error: Error) => error.message.startsWith(start)
const load = (sdl: string) => loadModel(sdl, 'test.graphql')

test('without an account type each resource needs rules', () => {
  const model = load('type A @allow { id: ID! }\ntype B { id: ID! }\ntype C { id: ID! }')
  assert.throws(() => requireRules(model), /These types have no access rules:\n {2}- type B\n {2}- type C\nAdd @allow/)
  assert.deepEqual(openByOmission(model), { types: ['B', 'C'], operations: [] })
  assert.deepEqual(closedByOmission(model), { types: [], operations: [] })
})

test('without an account type each custom operation needs rules', () => {
  const sdl = 'type A @allow { id: ID! }\nextend type Query { x: Int }\nextend type Mutation { y: Int @allow z: Int }'
  const list = '  - Query.x\n  - Mutation.z\nAdd @allow'
  assert.throws(() => requireRules(load(sdl)), refusal(`These custom operations have no access rules:\n${list}`))
  const more = `${sdl}\ntype B { id: ID! }`
  assert.throws(
    () => requireRules(load(more)),
    refusal(`These types and custom operations have no access rules:\n  - type B\n${list}`),
  )
})

test('with an account type, only the role admin may use what has no rules', () => {
  const model = load(
    `type User @account { id: ID!, email: String! @unique }
     extend type Mutation { y: Int @allow(who: "signedIn") z: Int }`,
  )
  requireRules(model)
  assert.deepEqual(closedByOmission(model), { types: ['User'], operations: ['Mutation.z'] })
  assert.deepEqual(openByOmission(model), { types: [], operations: [] })
})

test('an account type, or @allow on each resource, is enough', () => {
  requireRules(load('type User @account { id: ID!, email: String! @unique }\ntype B { id: ID! }'))
  requireRules(load('type A @allow(to: [READ]) { id: ID! }'))
})
