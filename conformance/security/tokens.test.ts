// `Token` is a resource of the model: an account lists its sessions and ends them with both APIs, and administrators those of
// everyone. Nothing in them signs in.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { defaultAuthSettings } from '../../packages/twain/src/auth/index.ts'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { type Person, TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
type User @account @allow(to: [CREATE]) @allow(who: "self") @allow(role: "admin") {
  id: ID!
  email: String! @unique
  name: String
  roles: [String!]
}`

test('R82 an account lists its own sessions, with filters, sorts, pages and formats; nothing secret is in them', async (t) => {
  const { ann, bob, signIn, get, graphql } = await openSessions(t, ['ann', 'bob'])
  const phone = await signIn('ann', { 'user-agent': 'Phone/1.2', 'x-client-name': 'phone' })
  const laptop = await signIn('ann', { 'user-agent': `Laptop ${'x'.repeat(500)}` })
  const all = await get('/tokens', ann)
  assert.deepEqual(
    all.body.map(({ id }: { id: string }) => id),
    [laptop.id, phone.id, ann.session],
  )
  assert.deepEqual(Object.keys(all.body[0]), [
    ...['id', 'account', 'how', 'client', 'address', 'current', 'createdAt', 'lastUsedAt', 'expiresAt'],
    ...['actor', 'by', 'role', 'readOnly', 'reason'],
  ])
  assert.deepEqual([all.body[0].account, all.body[0].client.length, all.body[1].client], [ann.id, 120, 'phone'])
  assert.equal(all.headers.get('cache-control'), 'no-store')
  for (const { token, refreshToken } of [phone, laptop]) {
    const text = JSON.stringify(all.body)
    assert.ok(!text.includes(token) && !text.includes(refreshToken))
  }
  const etag = all.headers.get('etag')!
  assert.equal((await get('/tokens', ann, { 'if-none-match': etag })).status, 304)
  assert.deepEqual((await get('/tokens?client=phone&fields=id,account.email', ann)).body, [
    { id: phone.id, account: { email: 'ann@example.org' } },
  ])
  assert.deepEqual((await get('/tokens?sort=createdAt&fields=id&limit=1', ann)).body, [{ id: ann.session }])
  assert.match((await get('/tokens?fields=client', ann, { accept: 'text/csv' })).body, /^client\r?\nLaptop/)
  assert.match((await get('/tokens?fields=client', ann, { accept: 'application/xml' })).body, /<client>phone<\/client>/)
  assert.equal((await get(`/tokens/${phone.id}`, ann)).body.client, 'phone')
  assert.equal((await get(`/tokens/${phone.id}`, bob)).status, 404)

  const page = `tokensConnection(first: 1, where: {client: {eq: "phone"}}) { totalCount edges { node { id } } }`
  const one = `token(id: "${phone.id}") { __typename client account { name } _version token }`
  const { data } = await graphql(`{ tokens { id token refreshToken ticket } ${page} ${one} }`, ann)
  assert.deepEqual(data.tokens[0], { id: laptop.id, token: null, refreshToken: null, ticket: null })
  assert.deepEqual(data.tokensConnection, { totalCount: 1, edges: [{ node: { id: phone.id } }] })
  const expected = { __typename: 'Token', client: 'phone', account: { name: 'ann' }, _version: 1, token: null }
  assert.deepEqual(data.token, expected)
  assert.deepEqual((await graphql(`{ tokens { id } token(id: "${phone.id}") { id } }`, bob)).data, {
    tokens: [{ id: bob.session }],
    token: null,
  })
})

test('R82 without signing in there are no sessions to list or end', async (t) => {
  const { service, get, graphql } = await openSessions(t, [])
  const anonymous = await get('/tokens', null)
  assert.deepEqual([anonymous.status, anonymous.body.code], [401, 'UNAUTHENTICATED'])
  assert.match(anonymous.headers.get('www-authenticate')!, /^Bearer/)
  const { errors } = await graphql('{ tokens { id } }', null)
  assert.deepEqual([errors[0].path, errors[0].extensions.code], [['tokens'], 'UNAUTHENTICATED'])
  assert.equal((await service.send('DELETE', '/tokens/x')).status, 401)
})

test('R83 an account ends its own sessions only, once for an idempotency key', async (t) => {
  const { service, ann, bob, signIn, get, graphql } = await openSessions(t, ['ann', 'bob'])
  const [phone, laptop] = [await signIn('ann'), await signIn('ann')]
  const remove = (id: string, { authorization }: Pick<Person, 'authorization'>, headers = {}) =>
    service.send('DELETE', `/tokens/${id}`, undefined, { authorization, ...headers })
  assert.equal((await remove(phone.id, bob)).status, 404)
  assert.deepEqual((await graphql(`mutation { deleteToken(id: "${phone.id}") { success } }`, bob)).data, {
    deleteToken: { success: false },
  })
  assert.equal((await remove(phone.id, ann, { 'if-match': '"2-x"' })).status, 412)
  assert.equal((await get('/tokens', ann)).body.length, 3)

  const once = { 'idempotency-key': 'end' }
  const together = await Promise.all([remove(phone.id, ann, once), remove(phone.id, ann, once)])
  const ended = [...together, await remove(phone.id, ann)]
  assert.deepEqual(
    ended.map(({ status }) => status),
    [204, 204, 404],
  )
  assert.equal(ended[2]!.body.detail, `There is no Token with the id "${phone.id}".`)
  const old = { authorization: `Bearer ${phone.token}` }
  await until(
    () => service.send('GET', '/tokens', undefined, old),
    ({ status }) => status === 401,
  )
  assert.equal((await service.send('POST', '/tokens', { refreshToken: phone.refreshToken })).status, 401)

  const text = `mutation { deleteToken(id: "${laptop.id}", ifVersion: 1) { success message id } }`
  assert.deepEqual((await graphql(text, ann)).data.deleteToken, {
    ...{ success: true, message: `Token "${laptop.id}" is deleted.`, id: laptop.id },
  })
  assert.deepEqual((await get('/tokens?fields=id', ann)).body, [{ id: ann.session }])
})

test('R82 a renewed session keeps its id and client, and has been used; an expired one is gone', async (t) => {
  const { service, signIn, get } = await openSessions(t, ['ann'], { refreshTokenSeconds: 3 })
  const first = await signIn('ann', { 'x-client-name': 'phone' })
  const viewer = { authorization: `Bearer ${first.token}` }
  const before = (await get(`/tokens/${first.id}`, viewer)).body
  const renewed = await service.succeed('POST', '/tokens', { refreshToken: first.refreshToken })
  assert.equal(renewed.id, first.id)
  const after = await get(`/tokens/${first.id}`, viewer)
  assert.deepEqual({ ...before, lastUsedAt: '', expiresAt: '' }, { ...after.body, lastUsedAt: '', expiresAt: '' })
  assert.ok(after.body.lastUsedAt > before.lastUsedAt && after.body.expiresAt > before.expiresAt)
  assert.match(after.headers.get('etag')!, /^"2-/)
  await until(
    () => get('/tokens', viewer),
    ({ body }) => body.length === 0,
  )
})

test('R82 administrators list and end the sessions of everyone', async (t) => {
  const { service, ann, bob, boss, get, graphql } = await openSessions(t, ['ann', 'bob', 'boss'])
  assert.deepEqual((await get('/tokens?fields=id', boss)).body, [
    { id: boss.session },
    { id: bob.session },
    { id: ann.session },
  ])
  assert.deepEqual((await get(`/tokens?account=${ann.id}&fields=id`, boss)).body, [{ id: ann.session }])
  const mine = await graphql('{ tokens(where: {account: {isViewer: true}}) { id } }', boss)
  assert.deepEqual(mine.data.tokens, [{ id: boss.session }])
  const { status } = await service.send('DELETE', `/tokens/${bob.session}`, undefined, {
    authorization: boss.authorization,
  })
  assert.equal(status, 204)
  assert.equal((await get('/tokens', boss)).body.length, 2)
})

/** `names`: who signs up. `boss` has the role admin. */
async function openSessions(t: TestContext, names: readonly string[], auth: { refreshTokenSeconds?: number } = {}) {
  const service = await TestService.open(t, sdl, { auth: { ...defaultAuthSettings, ...auth } })
  const people: Record<string, Person> = {}
  for (const name of names) people[name] = await service.signUp(name)
  if (people.boss !== undefined) {
    const headers = { 'content-type': 'application/json' }
    const roles = plainRequest('PATCH', `/users/${people.boss.id}`, { headers, body: '{"roles": ["admin"]}' })
    assert.equal((await service.service.handleAsSystem(roles)).status, 200)
  }
  const headersOf = (viewer: { authorization: string } | null): Record<string, string> =>
    viewer === null ? {} : { authorization: viewer.authorization }
  return {
    service,
    ...(people as { ann: Person; bob: Person; boss: Person }),
    signIn: (name: string, headers: Record<string, string> = {}) =>
      service.succeed('POST', '/tokens', { email: `${name}@example.org`, password: 'a long password' }, headers),
    get: (path: string, viewer: { authorization: string } | null, headers = {}) =>
      service.send('GET', path, undefined, { ...headersOf(viewer), ...headers }),
    graphql: async (query: string, viewer: { authorization: string } | null) =>
      (await service.send('POST', '/graphql', { query }, headersOf(viewer))).body,
  }
}
