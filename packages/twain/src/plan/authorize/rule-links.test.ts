import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Viewer } from '#base/http'
import { loadModel, type Model, type Resource } from '#model'
import type { WritePlan } from '../plan.ts'
import { printWhere } from '../print-where.fixture.ts'
import { Authority } from './authorize.ts'

const ann: Viewer = { account: 'u1', roles: [], authenticated: true, token: null }

test('a viewer who may update the row of a list that rules go through adds its members, whichever type comes first', () => {
  const model = loadModel(
    `
    type User @account @allow(to: [READ]) { id: ID! email: String! @unique }
    type Profile @allow(to: [READ]) @allow(who: "user") { id: ID! user: User! clubs: [Club!]! }
    type Club @allow(to: [READ]) @allow(who: "members.user") { id: ID! name: String members: [Profile!]! }
    `,
    'test.graphql',
  )
  assert.deepEqual(holders(model, 'Profile'), [['clubs', 'some members(user→viewer)']])
})

test('a rule on a computed field goes through a list too', () => {
  const model = loadModel(
    `
    type User @account @allow(to: [READ]) { id: ID! email: String! @unique }
    type Profile @allow(to: [READ]) @allow(who: "user") { id: ID! user: User! clubs: [Club!]! }
    type Club @allow(to: [READ]) @allow(role: "boss") {
      id: ID! members: [Profile!]! secret: Int @computed @allow(who: "members.user")
    }
    `,
    'test.graphql',
  )
  assert.deepEqual(holders(model, 'Profile'), [['clubs', 'false']])
})

function holders(model: Model, type: string): [string, string][] | undefined {
  const plan: WritePlan = {
    kind: 'write',
    action: 'update',
    of: model.types.get(type) as Resource,
    id: null,
    set: [],
    ifVersion: null,
    answer: [],
  }
  const { checks } = new Authority(model).authorize(plan, ann)
  return checks?.holders.map(({ field, guard }) => [field.name, printWhere(guard)])
}
