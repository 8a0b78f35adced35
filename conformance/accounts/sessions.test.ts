// The sessions of an account: how each began, which one is this, and the end of all others, with both APIs.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { defaultAuthSettings } from '../../packages/twain/src/auth/index.ts'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { MailedAccounts } from '../harness/mailed-accounts.ts'
import { type Person, readEvents, TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
type User @account @allow(to: [CREATE]) @allow(who: "self") @allow(role: "admin") {
  id: ID!
  email: String! @unique
  name: String
  roles: [String!]
}
type Note @allow(who: "author") { id: ID!, text: String!, author: User! @auto(set: VIEWER) }`

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0'

test('R82 a session says how it began, from which client and network, and whether it is this one', async (t) => {
  const { ann, signIn, rest, graphql } = await open(t, ['ann'])
  const phone = await signIn('ann', { 'user-agent': firefox })
  const viewer = { authorization: `Bearer ${phone.token}` }
  const { body } = await rest('GET', '/tokens?fields=id,how,client,address,current', viewer)
  assert.deepEqual(body, [
    { id: phone.id, how: 'PASSWORD', client: 'Firefox 132 on Linux', address: '127.0.0.0/24', current: true },
    { ...body[1], id: ann.session, how: 'PASSWORD', current: false },
  ])
  const { data } = await graphql('{ tokens { id how address current } }', ann)
  assert.deepEqual(data.tokens, [
    { id: phone.id, how: 'PASSWORD', address: '127.0.0.0/24', current: false },
    { id: ann.session, how: 'PASSWORD', address: '127.0.0.0/24', current: true },
  ])
  assert.equal((await rest('GET', `/tokens/${phone.id}`, ann)).body.current, false)
  assert.equal((await rest('GET', `/tokens/${phone.id}`, viewer)).body.current, true)
  assert.equal((await rest('GET', '/tokens?how=CODE', ann)).body.length, 0)
  const unknown = await rest('GET', '/tokens?current=true', ann)
  assert.deepEqual([unknown.status, unknown.body.errors[0].path], [400, 'current'])
})

test('R82 a sign-in by a code is one', async (t) => {
  const accounts = await MailedAccounts.open(t, sdl)
  await accounts.signUp('cat@example.org')
  const { email, code, secret } = await accounts.code('SIGN_IN', 'cat@example.org')
  const { body } = await accounts.call('POST', '/tokens', { email, code, secret })
  const sessions = await accounts.as(body.token, 'GET', '/tokens?fields=how,current')
  assert.deepEqual(sessions.body, [{ how: 'CODE', current: true }])
})

test('R260 an account ends all its other sessions, or all of them, within a second: streams too', async (t) => {
  const { service, ann, bob, signIn, rest, graphql, isValid } = await open(t, ['ann', 'bob'])
  const [phone, laptop] = [await signIn('ann'), await signIn('ann')]
  const stream = await fetch(`${service.address}/changes`, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${phone.token}` },
  })
  const ended = (async () => {
    for await (const _ of readEvents(stream));
  })()
  const others = await rest('DELETE', '/tokens?current=false', ann)
  assert.deepEqual([others.status, others.body.count], [200, 2])
  assert.deepEqual(others.body.ids.toSorted(), [phone.id, laptop.id].toSorted())
  for (const { token } of [phone, laptop])
    await until(
      () => isValid(token),
      (valid) => !valid,
    )
  assert.equal((await service.send('POST', '/tokens', { refreshToken: phone.refreshToken })).status, 401)
  assert.deepEqual((await rest('GET', '/tokens?fields=id', ann)).body, [{ id: ann.session }])
  assert.deepEqual((await rest('GET', '/tokens?fields=id', bob)).body, [{ id: bob.session }])
  await ended

  const again = await signIn('ann')
  const { data } = await graphql('mutation { deleteTokens(current: false) { __typename count ids } }', ann)
  assert.deepEqual(data.deleteTokens, { __typename: 'BulkResult', count: 1, ids: [again.id] })
  const all = await graphql('mutation { deleteTokens(all: true) { count } }', ann)
  assert.equal(all.data.deleteTokens.count, 1)
  await until(
    () => isValid(ann.authorization.slice(7)),
    (valid) => !valid,
  )
})

test('R261 an administrator who ends their other sessions ends nobody else’s; they name an account for that', async (t) => {
  const { service, ann, bob, boss, signIn, rest, graphql } = await open(t, ['ann', 'bob', 'boss'])
  const other = await signIn('boss')
  assert.deepEqual((await rest('DELETE', '/tokens?current=false', boss)).body, { count: 1, ids: [other.id] })
  assert.deepEqual((await rest('DELETE', `/tokens?current=false&account=${ann.id}`, boss)).body.ids, [ann.session])
  const ofBob = await graphql(`mutation { deleteTokens(all: true, account: "${bob.id}") { ids } }`, boss)
  assert.deepEqual(ofBob.data.deleteTokens.ids, [bob.session])
  assert.deepEqual((await rest('DELETE', '/tokens?all=true&account=nobody', boss)).body, { count: 0, ids: [] })

  const dan = await service.signUp('dan')
  for (const account of [boss.id, 'nobody']) {
    const refused = await rest('DELETE', `/tokens?current=false&account=${account}`, dan)
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'])
    const { errors } = await graphql(`mutation { deleteTokens(all: true, account: "${account}") { ids } }`, dan)
    assert.equal(errors[0].extensions.code, 'FORBIDDEN')
  }
  assert.equal((await rest('GET', '/tokens?fields=id', boss)).body.length, 2)
})

test('R262 a request that does not say which sessions to end is refused, with both APIs', async (t) => {
  const { ann, rest, graphql } = await open(t, ['ann'])
  const cases: [query: string, args: string, path: string, code: string][] = [
    ['', '(account: null)', 'current', 'REQUIRED'],
    ['?current=true', '(current: true)', 'current', 'UNKNOWN'],
    ['?all=false', '(all: false)', 'all', 'UNKNOWN'],
    ['?all=true&current=false', '(all: true, current: false)', 'all', 'UNKNOWN'],
    ['?all=true&account=', '(all: true, account: "")', 'account', 'TYPE'],
  ]
  for (const [query, args, path, code] of cases) {
    const refused = await rest('DELETE', `/tokens${query}`, ann)
    assert.deepEqual([refused.status, refused.body.errors[0].path, refused.body.errors[0].code], [400, path, code])
    const { errors } = await graphql(`mutation { deleteTokens${args} { count } }`, ann)
    const [problem] = errors[0].extensions.errors
    assert.deepEqual([errors[0].extensions.code, problem.path, problem.code], ['VALIDATION_FAILED', path, code], args)
  }
  for (const query of ['?curent=false', '?current=false&current=false', '?current=maybe', '?limit=1&current=false'])
    assert.equal((await rest('DELETE', `/tokens${query}`, ann)).status, 400, query)
  assert.equal((await rest('DELETE', '/tokens?current=false', null)).status, 401)
  const { errors } = await graphql('mutation { deleteTokens(current: false) { count } }', null)
  assert.equal(errors[0].extensions.code, 'UNAUTHENTICATED')
  assert.equal((await rest('GET', '/tokens', ann)).body.length, 1)
  const { headers } = await rest('OPTIONS', '/tokens', ann)
  assert.equal(headers.get('allow'), 'GET, HEAD, POST, DELETE, OPTIONS')
})

test('R263 the last use of a session is known to the minute, and no request writes it', async (t) => {
  const time = { now: Date.parse('2030-01-01T00:00:10.000Z') }
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { ann, rest } = await open(t, ['ann'], { clock: () => time.now })
  const lastUse = async () => (await rest('GET', `/tokens/${ann.session}`, ann)).body.lastUsedAt
  assert.equal(await lastUse(), '2030-01-01T00:00:10.000Z')
  time.now += 5 * 60_000
  assert.equal(await lastUse(), '2030-01-01T00:00:10.000Z')
  t.mock.timers.tick(60_000)
  assert.equal(await until(lastUse, (at) => at > '2030-01-01T00:01'), '2030-01-01T00:05:00.000Z')
  const sorted = await rest('GET', '/tokens?lastUsedAt[gte]=2030-01-01T00:05:00Z&sort=-lastUsedAt&fields=id', ann)
  assert.deepEqual(sorted.body, [{ id: ann.session }])
})

async function open(t: TestContext, names: readonly string[], options: { clock?: () => number } = {}) {
  const service = await TestService.open(t, sdl, { auth: defaultAuthSettings, ...options })
  const people: Record<string, Person> = {}
  for (const name of names) people[name] = await service.signUp(name)
  if (people.boss !== undefined) {
    const headers = { 'content-type': 'application/json' }
    const roles = plainRequest('PATCH', `/users/${people.boss.id}`, { headers, body: '{"roles": ["admin"]}' })
    assert.equal((await service.service.handleAsSystem(roles)).status, 200)
  }
  type Viewer = { authorization: string } | null
  const rest = (method: string, path: string, viewer: Viewer) =>
    service.send(method, path, undefined, viewer === null ? {} : { authorization: viewer.authorization })
  return {
    service,
    ...(people as { ann: Person; bob: Person; boss: Person }),
    rest,
    signIn: (name: string, headers: Record<string, string> = {}) =>
      service.succeed('POST', '/tokens', { email: `${name}@example.org`, password: 'a long password' }, headers),
    isValid: async (token: string) =>
      (await rest('GET', '/tokens', { authorization: `Bearer ${token}` })).status === 200,
    graphql: async (query: string, viewer: Viewer) =>
      (
        await service.send(
          'POST',
          '/graphql',
          { query },
          viewer === null ? {} : { authorization: viewer.authorization },
        )
      ).body,
  }
}
