import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import type { Answer } from '#plan'
import { fakeDoor } from './blog.fixture.ts'

const one: Answer = { kind: 'one', text: '{}', version: 1 }
const many: Answer = { kind: 'many', text: '[]', more: false, total: null }

test('R60: without rules an answer is the same for all; with them it is private and depends on who asks', async () => {
  const headers = async (sdl: string) => {
    const { send } = fakeDoor({ model: loadModel(sdl, 'x.graphql'), answers: [one, many] })
    const replies = [await send('/notes/1'), await send('/notes')]
    return replies.map((reply) => [reply.headers['cache-control'], reply.headers.vary])
  }
  const ruled = [
    ['private, no-cache', 'accept, authorization'],
    ['private, no-cache', 'accept, authorization, prefer'],
  ]

  assert.deepEqual(await headers('type Note { id: ID! }'), [
    ['no-cache', 'accept'],
    ['no-cache', 'accept, prefer'],
  ])
  assert.deepEqual(await headers('type Note @allow(to: [READ]) { id: ID! }'), ruled)
  assert.deepEqual(await headers('type Note { id: ID! } type User @account { id: ID! email: String! @unique }'), ruled)
})
