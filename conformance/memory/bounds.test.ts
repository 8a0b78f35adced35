// Smaller bounds: uploads that no row refers to, and cursors over fields that are sometimes hidden.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { TestService } from '../harness/test-service.ts'

test('what a client uploads and no row refers to is bounded, and what rows refer to does not count', async (t) => {
  const sdl = 'type Note @allow { id: ID! picture: File }'
  const service = await TestService.open(t, sdl, { limits: { ...defaultLimits, uploadsHeldBytes: 250_000 } })
  const upload = async (n: number) => {
    const headers = { 'content-type': 'application/octet-stream' }
    const body = Buffer.alloc(100_000, n)
    const reply = await fetch(`${service.address}/files`, { method: 'POST', headers, body })
    return { status: reply.status, body: (await reply.json()) as { id: string; code?: string } }
  }
  const first = [await upload(1), await upload(2), await upload(3)]

  const refused = await upload(4)
  assert.deepEqual([refused.status, refused.body.code], [429, 'TOO_MANY_REQUESTS'])

  for (const { body } of first) await service.succeed('POST', '/notes', { picture: body.id })
  assert.equal((await upload(4)).status, 201)
})

test('a cursor over a field that the viewer may not always read is accepted, and an export is complete', async (t) => {
  const sdl = `
    type User @account(login: "email") @allow(to: [READ, CREATE]) { id: ID! email: String! @unique name: String }
    type Note @allow(to: [READ, CREATE]) {
      id: ID!
      flag: Boolean! @allow(to: [CREATE]) @allow(who: "owner", to: [READ])
      owner: User @default(value: VIEWER)
    }`
  const service = await TestService.open(t, sdl)
  const { authorization } = await service.signUp('ann')
  const notes = Array.from({ length: 60 }, (_, n) => ({ flag: n % 2 === 0 }))
  await service.succeed('POST', '/notes', notes)
  await service.succeed('POST', '/notes', notes, { authorization })

  const first = await service.succeed('GET', '/notes?sort=flag&first=100', undefined, { authorization })
  const path = `/notes?sort=flag&first=100&after=${encodeURIComponent(first.pageInfo.endCursor)}`
  const rest = await service.succeed('GET', path, undefined, { authorization })
  assert.equal(first.edges.length + rest.edges.length, 120)

  const exported = await fetch(`${service.address}/notes?sort=flag`, {
    headers: { accept: 'application/x-ndjson', authorization },
  })
  assert.equal((await exported.text()).trim().split('\n').length, 120)
})
