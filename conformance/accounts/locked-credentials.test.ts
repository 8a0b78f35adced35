// A lock counts for every way in: tokens of external issuers, providers, owners of webhooks, invitations, and other nodes.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { defaultAuthSettings } from '../../packages/twain/src/auth/index.ts'
import { openIssuer } from '../../packages/twain/src/auth/tokens/external-issuer.fixture.ts'
import { defaultWebhookSettings } from '../../packages/twain/src/events/index.ts'
import { makePreparedDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { MailedAccounts, password } from '../harness/mailed-accounts.ts'
import { ProviderAccounts } from '../harness/provider-accounts.ts'
import { until } from '../harness/until.ts'
import { openReceiver } from '../webhooks/receiver.ts'

const sdl = `
type User @account @allow(to: [CREATE, READ]) @allow(who: "self") @allow(role: "admin") {
  id: ID!
  email: String! @unique
  roles: [String!]
}
type Note @allow { id: ID!, text: String! }`

test('R264 tokens of external issuers are a 401 while their account is locked, and work again afterwards', async (t) => {
  const { jwks, name, sign } = await openIssuer(t)
  const issuers = JSON.stringify([{ issuer: name, jwks, audience: 'api', createAccounts: true }])
  const accounts = await MailedAccounts.open(t, sdl, { auth: { ...defaultAuthSettings, issuers } })
  const token = await sign({ sub: 'u-1', email: 'ann@example.org', email_verified: true })
  const own = await accounts.as(token, 'GET', '/users?email=ann@example.org')
  assert.equal(own.status, 200, own.text)
  const { lock, settle } = await locker(accounts)
  await lock(own.body[0].id, true)
  settle()
  for (const sent of [token, await sign({ sub: 'u-1', email: 'ann@example.org', email_verified: true, jti: '2' })]) {
    const refused = await accounts.as(sent, 'GET', '/notes')
    assert.deepEqual([refused.status, refused.body.code], [401, 'UNAUTHENTICATED'])
    const { errors } = await accounts.graphql('{ notes { id } }', {}, sent)
    assert.equal(errors[0].extensions.code, 'UNAUTHENTICATED')
  }
  // Another identity with the proven address of the account does not join it, and makes no second one.
  const twin = await accounts.as(
    await sign({ sub: 'u-2', email: 'ann@example.org', email_verified: true }),
    'GET',
    '/notes',
  )
  assert.ok(twin.status === 401 || twin.status === 409, twin.text)
  assert.equal((await accounts.call('GET', '/users?email=ann@example.org')).body.length, 1)
  await lock(own.body[0].id, false)
  settle()
  assert.equal((await accounts.as(token, 'GET', '/notes')).status, 200)
})

test('R264 nobody signs in with a provider while the account is locked; its identities stay', async (t) => {
  const setup = await ProviderAccounts.open(t, { sdl })
  const { accounts, trusted, other } = setup
  trusted.people.set('ann', { email: 'ann@example.org', email_verified: true })
  trusted.people.set('twin', { email: 'ann@example.org', email_verified: true })
  other.people.set('ann', { email: 'ann@example.org', email_verified: true })
  const signedIn = await setup.signInAs('trusted', 'ann')
  assert.equal(signedIn.status, 201, signedIn.text)
  const ann = await setup.accountOf(signedIn.body.token)
  const begun = await setup.goAs('trusted', 'ann') // before the lock
  const { lock, settle } = await locker(accounts)
  await lock(ann, true)
  settle()
  assert.equal(await accounts.isValid(signedIn.body.token), false)
  for (const code of [begun, await setup.goAs('trusted', 'ann')]) {
    const refused = await setup.use(code)
    assert.deepEqual([refused.status, refused.body.code], [401, 'UNAUTHENTICATED'], refused.text)
  }
  // The proven address of the account does not join it, and makes no second one.
  for (const provider of ['trusted', 'other'] as const) {
    const twin = await setup.signInAs(provider, provider === 'trusted' ? 'twin' : 'ann')
    assert.deepEqual([twin.status, twin.body.code], [409, 'CONFLICT'], twin.text)
  }
  const { data, errors } = await accounts.graphql(
    'mutation ($input: CreateTokenInput!) { createToken(input: $input) { id } }',
    { input: await setup.goAs('trusted', 'ann') },
  )
  assert.deepEqual([data, errors[0].extensions.code], [{ createToken: null }, 'UNAUTHENTICATED'])
  await lock(ann, false)
  settle()
  assert.equal(await setup.accountOf((await setup.signInAs('trusted', 'ann')).body.token), ann)
})

test('R264 webhooks of a locked account are paused', async (t) => {
  const webhooks = { ...defaultWebhookSettings, allowPrivate: true }
  const accounts = await MailedAccounts.open(t, sdl, { webhooks })
  const { lock, settle, operator } = await locker(accounts)
  const boss = await accounts.signUp('boss@example.org')
  assert.equal((await accounts.service.asSystem('PATCH', `/users/${boss}`, { roles: ['admin'] })).status, 200)
  const token = await accounts.token('boss@example.org')
  const [own, others] = [await openReceiver(t), await openReceiver(t)]
  const make = async (sent: string, url: string) => {
    const made = await accounts.as(sent, 'POST', '/webhooks', { url, events: ['note.*'] })
    assert.equal(made.status, 201, made.text)
    return made.body.id as string
  }
  const webhook = await make(token, own.url)
  await make(operator, others.url)
  const note = (text: string) => accounts.call('POST', '/notes', { text })
  const texts = (of: typeof own) => of.got.map(({ event }) => event.data.text)
  await note('before')
  await own.has(1)
  await lock(boss, true)
  settle()
  await note('while')
  await others.has(2)
  const paused = await until(
    async () => (await accounts.as(operator, 'GET', `/webhooks/${webhook}`)).body,
    (found) => found.paused !== null,
  )
  assert.match(paused.paused, /deleted or locked/)
  assert.deepEqual(texts(own), ['before'])
  await lock(boss, false)
  settle()
  assert.equal((await accounts.as(operator, 'PATCH', `/webhooks/${webhook}`, { active: true })).status, 200)
  await note('after')
  await own.has(3) // it goes on where it stopped
  assert.deepEqual(texts(own).toSorted(), ['after', 'before', 'while'])
})

test('R264 R277 an invitation of a locked account is a 410, and one to a locked account lets nobody in', async (t) => {
  const accounts = await MailedAccounts.open(t, sdl)
  const { lock, settle, operator } = await locker(accounts)
  const boss = await accounts.signUp('boss@example.org')
  assert.equal((await accounts.service.asSystem('PATCH', `/users/${boss}`, { roles: ['admin'] })).status, 200)
  const token = await accounts.token('boss@example.org')
  const { mail } = await accounts.mailOf('ann@example.org', async () => {
    const made = await accounts.as(token, 'POST', '/invitations', { email: 'ann@example.org' })
    assert.equal(made.status, 201, made.text)
  })
  await lock(boss, true)
  settle()
  assert.equal((await accounts.press(mail.url!, password)).status, 410)
  assert.deepEqual((await accounts.call('GET', '/users?email=ann@example.org')).body, [])

  // The answer is that of any address.
  const before = accounts.mailsTo('boss@example.org').length
  const invited = await accounts.as(operator, 'POST', '/invitations', { email: 'boss@example.org' })
  assert.deepEqual([invited.status, Object.keys(invited.body)], [201, ['id', 'email', 'createdAt', 'expiresAt']])
  await accounts.mailOf('bob@example.org', () =>
    accounts.as(operator, 'POST', '/invitations', { email: 'bob@example.org' }),
  )
  for (const { url } of accounts.mailsTo('boss@example.org').slice(0, -before || undefined)) {
    if (url !== null) assert.equal((await accounts.press(url, 'another horse battery')).status, 410)
  }
  assert.equal((await accounts.signIn('boss@example.org', 'another horse battery')).status, 401)
  await lock(boss, false)
  settle()
  assert.equal((await accounts.signIn('boss@example.org')).status, 201)
})

test('R264 a lock on one node counts on the others within a second', {
  skip: testedStore !== 'postgres',
}, async (t) => {
  const database = await makePreparedDatabase()
  t.after(() => database.drop())
  const options = { database: database.address, clock: Date.now }
  const [first, second] = [await MailedAccounts.open(t, sdl, options), await MailedAccounts.open(t, sdl, options)]
  const ann = await first.signUp('ann@example.org')
  const token = await first.token('ann@example.org')
  assert.equal(await second.isValid(token), true)
  const { lock } = await locker(first)
  await lock(ann, true)
  // A viewer is looked up again when a second has passed: the first request after that is refused, on a machine of any speed.
  await sleep(1001)
  assert.equal(await second.isValid(token), false)
  assert.equal((await second.signIn('ann@example.org')).status, 401)
  await lock(ann, false)
  assert.equal((await second.signIn('ann@example.org')).status, 201)
  assert.equal(await second.isValid(token), false)
})

/** Locks as the operator. `settle`: a viewer is cached for a second. */
async function locker(accounts: MailedAccounts) {
  const operator = await accounts.service.operator('admin')
  const lock = async (id: string, locked: boolean) => {
    const answer = await accounts.as(operator, 'PATCH', `/users/${id}`, { _locked: locked })
    assert.equal(answer.status, 200, answer.text)
  }
  const settle = () => {
    accounts.time.now += 1001
  }
  return { operator, lock, settle }
}
