// What the rules hide now is in no event of the past, however it is read (docs/reference/rest.md, R124).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestService } from '../harness/test-service.ts'
import { readPast } from './read-past.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) @allow(who: "self") {
    id: ID!
    email: String! @unique @allow(who: "self", to: [READ])
    name: String
    showsPhone: Boolean! @default(value: true)
    phone: String @allow(who: "self") @allow(to: [READ], where: {showsPhone: {eq: true}})
    friend: User @allow(who: "self") @allow(to: [READ], where: {showsPhone: {eq: true}})
  }`

const document = 'subscription ($after: String) { userChanged(after: $after) { id user { phone friend { id } } } }'

test('a field that was made private is in no event, and its owner still sees it', async (t) => {
  const service = await TestService.open(t, sdl)
  const first = await service.signUp('first') // its cursor is where the reading starts
  const ann = await service.signUp('ann')
  const headers = { authorization: ann.authorization }
  await service.succeed('PATCH', `/users/${ann.id}`, { phone: '555-1234', friend: first.id }, headers)
  const shown = await readPast(service, {}, document, (await service.signUp('eve')).id)
  for (const way of ['page', 'stream', 'subscription']) assert.match(shown[way]!, /555-1234/, way)

  await service.succeed('PATCH', `/users/${ann.id}`, { showsPhone: false }, headers)
  const bob = await service.signUp('bob')
  for (const viewer of [{}, { authorization: bob.authorization }]) {
    for (const [way, text] of Object.entries(await readPast(service, viewer, document, bob.id))) {
      assert.doesNotMatch(text, /555-1234/, way)
      assert.doesNotMatch(text, new RegExp(`"friend":("${first.id}"|\\{"id":"${first.id}")`), way)
    }
  }
  const own = await readPast(service, headers, document, bob.id)
  for (const way of ['page', 'stream', 'subscription']) assert.match(own[way]!, /555-1234/, way)

  await service.succeed('DELETE', `/users/${ann.id}`, undefined, headers)
  const carl = await service.signUp('carl')
  for (const [way, text] of Object.entries(await readPast(service, {}, document, carl.id))) {
    assert.doesNotMatch(text, /555-1234/, way)
  }
})
