// Identities: another way to sign in is linked to an account and removed again, on both APIs.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { password } from '../harness/mailed-accounts.ts'
import { ProviderAccounts } from '../harness/provider-accounts.ts'

const createIdentity =
  'mutation ($input: CreateIdentityInput!) { createIdentity(input: $input) { id provider issuer subject createdAt __typename } }'
const deleteIdentity = 'mutation ($id: ID!) { deleteIdentity(id: $id) { success message } }'

test('identities', async (t) => {
  const setup = await ProviderAccounts.open(t)
  const { accounts, trusted, other } = setup
  trusted.people.set('ann', { email: 'ann@work.example', email_verified: true })
  other.people.set('ann', { email: 'ann@home.example', email_verified: true })
  const ann = await accounts.signUp('ann@example.org')
  const token = await accounts.token('ann@example.org')
  const identities = (session: string) => accounts.as(session, 'GET', '/identities')

  await t.test('R247 a code links an identity to the account (REST), which then signs in', async () => {
    const made = await accounts.as(token, 'POST', '/identities', await setup.goAs('trusted', 'ann'))
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(
      [made.body.account, made.body.provider, made.body.issuer, made.body.subject],
      [ann, 'trusted', trusted.issuer, 'ann'],
    )
    assert.equal(made.headers.get('location'), `/identities/${made.body.id}`)
    const read = await accounts.as(token, 'GET', `/identities/${made.body.id}`)
    assert.deepEqual(read.body, made.body)
    assert.equal(await setup.accountOf((await setup.signInAs('trusted', 'ann')).body.token), ann)
  })

  await t.test('the same in GraphQL; linking again changes nothing', async () => {
    const first = await accounts.graphql(createIdentity, { input: await setup.goAs('other', 'ann') }, token)
    assert.equal(first.data.createIdentity.provider, 'other')
    assert.equal(first.data.createIdentity.__typename, 'Identity')
    const again = await accounts.graphql(createIdentity, { input: await setup.goAs('other', 'ann') }, token)
    assert.deepEqual(again.data, first.data)
    const list = await accounts.graphql('{ identities { provider account { email } } }', {}, token)
    assert.deepEqual(list.data.identities.map(({ provider }: { provider: string }) => provider).sort(), [
      'other',
      'trusted',
    ])
    assert.equal(list.data.identities[0].account.email, 'ann@example.org')
  })

  await t.test('link of an identity that belongs to another account', async () => {
    await accounts.signUp('mal@example.org')
    const mal = await accounts.token('mal@example.org')
    const taken = await accounts.as(mal, 'POST', '/identities', await setup.goAs('trusted', 'ann'))
    assert.deepEqual([taken.status, taken.body.code], [409, 'CONFLICT'])
    assert.deepEqual((await identities(mal)).body, [])
    const { errors } = await accounts.graphql(createIdentity, { input: await setup.goAs('trusted', 'ann') }, mal)
    assert.equal(errors[0].extensions.code, 'CONFLICT')
    assert.equal(await setup.accountOf((await setup.signInAs('trusted', 'ann')).body.token), ann)
  })

  await t.test('nobody sees or removes identities of others', async () => {
    const mal = await accounts.token('mal@example.org')
    const { id } = (await identities(token)).body[0]
    assert.equal((await accounts.as(mal, 'GET', `/identities/${id}`)).status, 404)
    assert.equal((await accounts.as(mal, 'DELETE', `/identities/${id}`)).status, 404)
    const { data } = await accounts.graphql(deleteIdentity, { id }, mal)
    assert.equal(data.deleteIdentity.success, false)
    assert.equal((await identities(token)).body.length, 2)
    assert.equal((await accounts.call('GET', '/identities')).status, 401)
    assert.equal((await accounts.call('POST', '/identities', await setup.goAs('trusted', 'ann'))).status, 401)
  })

  await t.test('R248 a stolen token links nothing: later than five minutes it takes the password', async () => {
    trusted.people.set('thief', { email: 'thief@example.org', email_verified: true })
    accounts.time.now += 6 * 60_000
    const code = await setup.goAs('trusted', 'thief')
    const refused = await accounts.as(token, 'POST', '/identities', code)
    assert.deepEqual([refused.status, refused.body.code], [403, 'REAUTHENTICATION_REQUIRED'])
    assert.equal(refused.body.errors[0].code, 'REQUIRED')
    const wrong = await accounts.as(token, 'POST', '/identities', { ...code, currentPassword: 'not that one' })
    assert.equal(wrong.body.errors[0].code, 'WRONG')
    const right = await accounts.as(token, 'POST', '/identities', { ...code, currentPassword: password })
    assert.equal(right.status, 201, right.text)
    assert.equal((await accounts.as(token, 'DELETE', `/identities/${right.body.id}`)).status, 204)
    const after = await setup.signInAs('trusted', 'thief')
    assert.notEqual(await setup.accountOf(after.body.token), ann)
  })

  await t.test('R249 removal of the last way in', async () => {
    trusted.people.set('bob', { email: 'bob@example.org', email_verified: true })
    other.people.set('bob', { email: 'bob@home.example', email_verified: true })
    const { token: session } = (await setup.signInAs('trusted', 'bob')).body
    const [only] = (await identities(session)).body
    const last = await accounts.as(session, 'DELETE', `/identities/${only.id}`)
    assert.deepEqual([last.status, last.body.code], [409, 'CONFLICT'])
    const refused = await accounts.graphql(deleteIdentity, { id: only.id }, session)
    assert.equal(refused.errors[0].extensions.code, 'CONFLICT')

    const second = await accounts.as(session, 'POST', '/identities', await setup.goAs('other', 'bob'))
    assert.equal(second.status, 201, second.text)
    const removed = await Promise.all(
      [only.id, second.body.id].map((id) => accounts.as(session, 'DELETE', `/identities/${id}`)),
    )
    assert.deepEqual(removed.map(({ status }) => status).sort(), [204, 409])

    const me = await setup.accountOf(session)
    assert.equal((await accounts.as(session, 'PATCH', `/users/${me}`, { password })).status, 200)
    const [left] = (await identities(session)).body
    assert.equal((await accounts.as(session, 'DELETE', `/identities/${left.id}`)).status, 204)
    assert.equal((await accounts.as(session, 'DELETE', `/identities/${left.id}`)).status, 404)
    assert.equal((await accounts.signIn('bob@example.org')).status, 201)
  })

  await t.test('a code links once, within a minute, and only with its verifier', async () => {
    trusted.people.set('eve', { email: 'eve@example.org', email_verified: true })
    await accounts.signUp('eve2@example.org')
    const session = await accounts.token('eve2@example.org')
    const code = await setup.goAs('trusted', 'eve')
    const { verifier } = await setup.goAs('trusted', 'eve')
    assert.equal((await accounts.as(session, 'POST', '/identities', { ...code, verifier })).status, 401)
    assert.equal((await accounts.as(session, 'POST', '/identities', code)).status, 201)
    assert.equal((await accounts.as(session, 'POST', '/identities', code)).status, 401)
    assert.equal((await setup.use(code)).status, 401)
    const late = await setup.goAs('trusted', 'eve')
    accounts.time.now += 60_000
    assert.equal((await accounts.as(session, 'POST', '/identities', late)).status, 401)
  })

  await t.test('R150 a link with an Idempotency-Key happens once, on both APIs', async () => {
    for (const person of ['kim', 'kim2', 'kim3', 'kim4', 'kim5']) trusted.people.set(person, {})
    const me = await accounts.signUp('kim@example.org')
    const session = await accounts.token('kim@example.org')
    const under = (key: string, path: string, body: unknown) =>
      accounts.call('POST', path, body, { authorization: `Bearer ${session}`, 'idempotency-key': key })
    const code = await setup.goAs('trusted', 'kim')
    const first = await under('k1', '/identities', code)
    assert.deepEqual([first.status, first.headers.get('idempotent-replayed')], [201, null], first.text)
    const again = await under('k1', '/identities', code)
    assert.deepEqual(
      [again.status, again.headers.get('idempotent-replayed'), again.headers.get('location'), again.text],
      [201, 'true', `/identities/${first.body.id}`, first.text],
    )
    const reused = await under('k1', '/identities', await setup.goAs('trusted', 'kim2'))
    assert.deepEqual([reused.status, reused.body.errors[0].code], [422, 'IDEMPOTENCY'])

    const graphql = { query: createIdentity, variables: { input: await setup.goAs('trusted', 'kim2') } }
    const made = await under('k1', '/graphql', graphql)
    assert.equal(made.body.data.createIdentity.subject, 'kim2', made.text)
    const repeated = await under('k1', '/graphql', graphql)
    assert.deepEqual([repeated.headers.get('idempotent-replayed'), repeated.text], ['true', made.text])

    const third = await setup.goAs('trusted', 'kim3')
    const both = await Promise.all([under('k2', '/identities', third), under('k2', '/identities', third)])
    assert.deepEqual([both[0].status, both[1].status, both[1].text], [201, 201, both[0].text])

    const linkedAgain = await setup.goAs('trusted', 'kim')
    const known = await under('k3', '/identities', linkedAgain)
    assert.equal(known.body.id, first.body.id)
    assert.equal((await under('k3', '/identities', linkedAgain)).text, known.text)
    assert.equal((await identities(session)).body.length, 3)

    const ofAnn = await under('k4', '/identities', await setup.goAs('trusted', 'ann'))
    assert.equal(ofAnn.body.errors[0].code, 'UNIQUE')
    const corrected = await under('k4', '/identities', await setup.goAs('trusted', 'kim4'))
    assert.deepEqual([corrected.status, corrected.body.account], [201, me], corrected.text)

    const fifth = await setup.goAs('trusted', 'kim5')
    const removed = await under('k5', '/identities', fifth)
    assert.equal((await accounts.as(session, 'DELETE', `/identities/${removed.body.id}`)).status, 204)
    assert.equal((await under('k5', '/identities', fifth)).text, removed.text)
    const malformed = await under('', '/identities', fifth)
    assert.equal(malformed.status, 400)
  })

  await t.test('wrong input names its problems', async () => {
    const session = await accounts.token('ann@example.org')
    const wrong = await accounts.as(session, 'POST', '/identities', { codes: 1 })
    assert.deepEqual(
      wrong.body.errors.map(({ path }: { path: string }) => path),
      ['codes', 'code', 'verifier'],
    )
  })
})
