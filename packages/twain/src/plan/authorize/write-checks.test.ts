import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { Rules } from './rules.ts'
import { classOf } from './viewer-class.ts'
import { judgeOf } from './write-checks.ts'

test('a many-to-many relation with accounts is held by the other side, whichever comes first', () => {
  const user = 'type User @account @allow { id: ID! email: String! @unique teams: [Team!]! }'
  const team = 'type Team @allow(to: [READ]) @allow(who: "members") { id: ID! members: [User!]! }'
  for (const sdl of [`${user} ${team}`, `${team} ${user}`]) {
    const model = loadModel(sdl, 'schema.graphql')
    const viewer = { account: 'u1', roles: [], authenticated: true, token: null }
    const rules = new Rules(model, classOf(viewer, model))
    const held = model.resources.map((of) => judgeOf(of, 'update', rules).holders.map(({ field }) => field.name))
    assert.deepEqual(held.flat(), ['teams'])
  }
})
