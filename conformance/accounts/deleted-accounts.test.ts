// An account with @softDelete: what ends with the delete, what comes back with a restore, and the files of deleted rows (R68).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyText, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
type User @account @softDelete @allow(to: [READ, CREATE]) @allow(who: "self") @allow(role: "admin") {
  id: ID! email: String! @unique name: String roles: [String!] photos: [Photo!]!
}
type Photo @softDelete @allow(who: "owner") @allow(to: [READ]) { id: ID! title: String! file: File owner: User! @auto(set: VIEWER) @relation(onDelete: CASCADE) }
`

test('a deleted account signs nobody in, its login is free, and a restored one signs in with its password', async (t) => {
  const service = await TestService.open(t, sdl)
  const ann = await service.signUp('ann')
  const token = { authorization: ann.authorization }
  const signIn = () => service.send('POST', '/tokens', { email: 'ann@example.org', password: 'a long password' })
  const { body: pair } = await signIn()
  assert.ok(pair.refreshToken, JSON.stringify(pair))
  const upload = await fetch(`${service.address}/files`, { method: 'POST', headers: token, body: 'picture' })
  const file = (await upload.json()) as { id: string }
  const photo = await service.succeed('POST', '/photos', { title: 'sea', file: file.id }, token)

  assert.equal((await service.send('DELETE', `/users/${ann.id}`, undefined, token)).status, 204)
  const ended = await until(
    () => service.send('GET', '/photos', undefined, token),
    ({ status }) => status === 401,
  )
  assert.equal(ended.status, 401)
  assert.equal((await service.send('POST', '/tokens', { refreshToken: pair.refreshToken })).status, 401)
  assert.equal((await signIn()).status, 401)

  const other = await service.send('POST', '/users', { email: 'ann@example.org', password: 'another long one' })
  assert.equal(other.status, 201, 'the login is free')
  const restore = async () => {
    const reply = await service.service.handleAsSystem(plainRequest('POST', `/users/${ann.id}/restorations`))
    return { status: reply.status, body: JSON.parse(await bodyText(reply)) }
  }
  const refused = await restore()
  assert.deepEqual([refused.status, refused.body.errors[0].path], [409, 'email'])
  const otherToken = await service.succeed('POST', '/tokens', {
    email: 'ann@example.org',
    password: 'another long one',
  })
  const removed = await service.send('DELETE', `/users/${other.body.id}?purge=true`, undefined, {
    authorization: `Bearer ${otherToken.token}`,
  })
  assert.equal(removed.status, 204)
  assert.equal((await restore()).status, 200)

  assert.equal((await service.send('GET', '/photos', undefined, token)).status, 401, 'its tokens stay ended')
  const again = await signIn()
  assert.equal(again.status, 201, 'with the password from before')
  const fresh = { authorization: `Bearer ${again.body.token}` }
  const photos = await service.succeed('GET', '/photos', undefined, fresh)
  assert.deepEqual(photos, [{ id: photo.id, title: 'sea', file: file.id, owner: ann.id }])

  const bytes = async () => {
    const reply = await fetch(`${service.address}/files/${file.id}`) // without a token: by the rules of the row
    return reply.status === 200 ? await reply.text() : reply.status
  }
  assert.equal(await bytes(), 'picture')
  assert.equal((await service.send('DELETE', `/photos/${photo.id}`, undefined, fresh)).status, 204)
  assert.equal(await bytes(), 404, 'a hidden row gives nobody its file')
  assert.equal((await service.send('POST', `/photos/${photo.id}/restorations`, undefined, fresh)).status, 200)
  assert.equal(await bytes(), 'picture')
})
