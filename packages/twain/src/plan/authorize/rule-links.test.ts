import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Viewer } from '#base/http'
import { loadModel, type Resource } from '#model'
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
  const plan: WritePlan = {
    kind: 'write',
    action: 'update',
    of: model.types.get('Profile') as Resource,
    id: null,
    set: [],
    ifVersion: null,
    answer: [],
  }
  const { checks } = new Authority(model).authorize(plan, ann)
  assert.deepEqual(
    checks?.holders.map(({ field, guard }) => [field.name, printWhere(guard)]),
    [['clubs', 'some members(user→viewer)']],
  )
})
