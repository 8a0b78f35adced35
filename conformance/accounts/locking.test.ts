// An administrator locks an account: its sessions end, nobody signs in, and no stranger learns why. An account that is deleted by
// its owner asks for the password or a fresh sign-in.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { MailedAccounts, password } from '../harness/mailed-accounts.ts'
import { readEvents } from '../harness/test-service.ts'

const sdl = `
type User @account @allow(to: [CREATE, READ]) @allow(who: "self") @allow(role: "admin") {
  id: ID!
  email: String! @unique
  name: String
  roles: [String!]
}
type Note @allow(who: "author") @allow(role: "admin", to: [READ]) {
  id: ID!
  text: String!
  author: User! @auto(set: VIEWER) @relation(onDelete: CASCADE)
}`

const minuteMs = 60_000

test('R264 a locked account loses its sessions, streams and codes, and nobody signs in until it is unlocked', async (t) => {
  const { accounts, boss } = await open(t)
  const id = await accounts.signUp('ann@example.org')
  const { body: session } = await accounts.signIn('ann@example.org')
  const ticket = (await accounts.as(session.token, 'POST', '/tokens', { for: 'stream' })).body.ticket
  const { code, secret } = await accounts.code('SIGN_IN', 'ann@example.org')
  const stream = await fetch(`${accounts.service.address}/changes`, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${session.token}` },
  })
  const ended = (async () => {
    for await (const _ of readEvents(stream));
  })()

  const locked = await accounts.as(boss, 'PATCH', `/users/${id}?fields=_lockedAt`, { _locked: true })
  assert.equal(locked.status, 200, locked.text)
  assert.notEqual(locked.body._lockedAt, null)
  accounts.time.now += 1001 // a viewer is cached for a second
  assert.equal(await accounts.isValid(session.token), false)
  await ended
  const opened = await accounts.call('GET', `/changes?ticket=${ticket}`, undefined, { accept: 'text/event-stream' })
  assert.equal(opened.status, 401)
  assert.equal((await accounts.call('POST', '/tokens', { refreshToken: session.refreshToken })).status, 401)

  // The same as a wrong password and an unknown address.
  const answers = [
    await accounts.signIn('ann@example.org'),
    await accounts.signIn('ann@example.org', 'a wrong password'),
    await accounts.signIn('nobody@example.org'),
  ]
  assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
  assert.equal(answers[0]!.status, 401)
  const used = await accounts.call('POST', '/tokens', { email: 'ann@example.org', code, secret })
  assert.deepEqual([used.status, used.body.code], [401, 'UNAUTHENTICATED'])
  const mails = accounts.mailsTo('ann@example.org').length
  for (const purpose of ['RESET', 'SIGN_IN', 'VERIFY']) {
    const asked = await accounts.call('POST', '/codes', { for: purpose, email: 'ann@example.org' })
    assert.deepEqual([asked.status, Object.keys(asked.body)], [202, ['secret', 'expiresAt']])
  }
  await accounts.signUp('later@example.org')
  await accounts.code('VERIFY', 'later@example.org') // the queue has passed them
  assert.equal(accounts.mailsTo('ann@example.org').length, mails)

  const update = 'mutation ($id: ID!, $input: UpdateUserInput) { updateUser(id: $id, input: $input) { _lockedAt } }'
  const again = await accounts.graphql(update, { id, input: { _locked: true } }, boss)
  assert.equal(again.data.updateUser._lockedAt, locked.body._lockedAt)
  const unlocked = await accounts.graphql(update, { id, input: { _locked: false } }, boss)
  assert.equal(unlocked.data.updateUser._lockedAt, null)
  assert.equal((await accounts.signIn('ann@example.org')).status, 201)
  assert.equal(await accounts.isValid(session.token), false)
})

test('R264 GraphQL locks with an argument, and ends subscriptions by their next event', async (t) => {
  const { accounts, boss } = await open(t)
  const id = await accounts.signUp('cat@example.org')
  const token = await accounts.token('cat@example.org')
  const subscription = await fetch(`${accounts.service.address}/graphql`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'text/event-stream', authorization: `Bearer ${token}` },
    },
    body: JSON.stringify({ query: 'subscription { noteChanged { id } }' }),
  })
  const ended = (async () => {
    for await (const _ of readEvents(subscription));
  })()
  const { data } = await accounts.graphql(`mutation { updateUser(id: "${id}", _locked: true) { _lockedAt } }`, {}, boss)
  assert.notEqual(data.updateUser._lockedAt, null)
  accounts.time.now += 1001
  await ended
  const { errors } = await accounts.graphql('{ notes { id } }', {}, token)
  assert.equal(errors[0].extensions.code, 'UNAUTHENTICATED')
})

test('R265 only administrators lock, see who is locked, and find them; nobody locks themselves out', async (t) => {
  const { accounts, boss, bossId } = await open(t)
  const ann = await accounts.signUp('ann@example.org')
  const bob = await accounts.signUp('bob@example.org')
  const token = await accounts.token('ann@example.org')
  for (const id of [ann, bob]) {
    const refused = await accounts.as(token, 'PATCH', `/users/${id}`, { _locked: true })
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'])
    const { errors } = await accounts.graphql(`mutation { updateUser(id: "${id}", _locked: false) { id } }`, {}, token)
    assert.equal(errors[0].extensions.code, 'FORBIDDEN')
  }
  const own = await accounts.as(boss, 'PATCH', `/users/${bossId}`, { _locked: true })
  assert.deepEqual([own.status, own.body.code], [409, 'CONFLICT'])
  for (const _locked of ['yes', 1, {}]) {
    const wrong = await accounts.as(boss, 'PATCH', `/users/${bob}`, { _locked })
    assert.deepEqual([wrong.status, wrong.body.errors[0].path], [400, '_locked'])
  }
  for (const [method, path, body] of [
    ['PATCH', '/users?name=x', { _locked: true }],
    ['POST', '/users', { email: 'new@example.org', password, _locked: true }],
    ['PATCH', `/users/${bob}`, { _lockedAt: '2030-01-01T00:00:00Z' }],
  ] as const) {
    assert.equal((await accounts.as(boss, method, path, body)).status, 400, `${method} ${path}`)
  }
  assert.equal((await accounts.as(boss, 'PATCH', `/users/${bob}`, { _locked: true })).status, 200)
  const found = await accounts.as(boss, 'GET', '/users?_lockedAt[isNull]=false&fields=id')
  assert.deepEqual(found.body, [{ id: bob }])
  const strangers = await accounts.as(token, 'GET', '/users?_lockedAt[isNull]=false&fields=id')
  assert.equal(strangers.status, 400)
  assert.ok((await accounts.as(token, 'GET', `/users/${bob}?fields=_lockedAt`)).status >= 400)
  const { data } = await accounts.graphql(`{ user(id: "${bob}") { email _lockedAt } }`, {}, token)
  assert.deepEqual(data.user, { email: 'bob@example.org', _lockedAt: null })
  const { body: history } = await accounts.as(boss, 'GET', `/users/${bob}/changes`)
  assert.match(JSON.stringify(history), new RegExp(`"by":"account:${bossId}"`))
})

test('R266 who deletes their own account sends the password, or has just signed in', async (t) => {
  const { accounts, boss } = await open(t)
  const make = async (email: string) => ({ id: await accounts.signUp(email), token: await accounts.token(email) })
  const [ann, bob, cat, dan] = [
    ...[await make('ann@example.org'), await make('bob@example.org')],
    ...[await make('cat@example.org'), await make('dan@example.org')],
  ]
  const fresh = await accounts.as(cat!.token, 'DELETE', `/users/${cat!.id}`)
  assert.equal(fresh.status, 204)
  accounts.time.now += 6 * minuteMs
  const refused = async (body: object | undefined, detail: string) => {
    const answer = await accounts.call('DELETE', `/users/${ann!.id}`, body, { authorization: `Bearer ${ann!.token}` })
    assert.equal(answer.status, 403, answer.text)
    assert.deepEqual([answer.body.code, answer.body.errors[0].code], ['REAUTHENTICATION_REQUIRED', detail])
  }
  await refused({}, 'REQUIRED')
  await refused({ currentPassword: 'a wrong password' }, 'WRONG')
  const unknown = await accounts.as(ann!.token, 'DELETE', `/users/${ann!.id}`, { currentPasword: password })
  assert.deepEqual([unknown.status, unknown.body.errors[0].path], [400, 'currentPasword'])
  const many = await accounts.as(ann!.token, 'DELETE', `/users?id=${ann!.id}`)
  assert.deepEqual([many.status, many.body.code], [403, 'REAUTHENTICATION_REQUIRED'])
  const remove = `mutation ($password: String) { deleteUser(id: "${bob!.id}", currentPassword: $password) { success } }`
  const { errors } = await accounts.graphql(remove, {}, bob!.token)
  assert.equal(errors[0].extensions.code, 'REAUTHENTICATION_REQUIRED')
  assert.equal((await accounts.call('GET', `/users/${ann!.id}`)).status, 200)

  const right = await accounts.as(ann!.token, 'DELETE', `/users/${ann!.id}`, { currentPassword: password })
  assert.equal(right.status, 204, right.text)
  const { data } = await accounts.graphql(remove, { password }, bob!.token)
  assert.equal(data.deleteUser.success, true)
  // An administrator deletes the account of another one as before.
  assert.equal((await accounts.as(boss, 'DELETE', `/users/${dan!.id}`)).status, 204)
  assert.equal((await accounts.as(dan!.token, 'DELETE', `/users/${dan!.id}`)).status, 401)
})

test('custom code locks accounts, and passes the password of who deletes their own', async (t) => {
  const own = `${sdl}
extend type Mutation {
  suspend(id: ID!): Boolean! @allow(role: "admin")
  leave(password: String): Boolean! @allow(who: "signedIn")
}`
  const code = `export default {
    resolvers: { Mutation: {
      suspend: async ({ id }, { system }) => (await system.write.User.update(id, { _locked: true }))._lockedAt !== null,
      leave: ({ password }, { viewer, write }) => write.User.delete(viewer.id, { currentPassword: password ?? undefined }),
    } },
  }`
  const { accounts, boss } = await open(t, own, { code })
  const id = await accounts.signUp('ann@example.org')
  const token = await accounts.token('ann@example.org')
  accounts.time.now += 6 * minuteMs
  const leave = 'mutation ($password: String) { leave(password: $password) }'
  const { errors } = await accounts.graphql(leave, {}, token)
  assert.equal(errors[0].extensions.code, 'REAUTHENTICATION_REQUIRED', JSON.stringify(errors))
  const wrong = await accounts.graphql(leave, { password: 'a wrong password' }, token)
  assert.equal(wrong.errors[0].extensions.code, 'REAUTHENTICATION_REQUIRED')
  assert.deepEqual((await accounts.graphql(leave, { password }, token)).data, { leave: true })
  assert.equal((await accounts.call('GET', `/users/${id}`)).status, 404)

  const bob = await accounts.signUp('bob@example.org')
  const suspended = await accounts.graphql(`mutation { suspend(id: "${bob}") }`, {}, boss)
  assert.deepEqual(suspended.data, { suspend: true }, JSON.stringify(suspended))
  assert.equal((await accounts.signIn('bob@example.org')).status, 401)
})

async function open(t: TestContext, own = sdl, options: Parameters<typeof MailedAccounts.open>[2] = {}) {
  const accounts = await MailedAccounts.open(t, own, options)
  const bossId = await accounts.signUp('boss@example.org')
  const headers = { 'content-type': 'application/json' }
  const roles = plainRequest('PATCH', `/users/${bossId}`, { headers, body: '{"roles": ["admin"]}' })
  assert.equal((await accounts.service.service.handleAsSystem(roles)).status, 200)
  return { accounts, bossId, boss: await accounts.token('boss@example.org') }
}
