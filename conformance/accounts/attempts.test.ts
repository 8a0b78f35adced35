// Those who guess, and what spares everybody else: pauses, devices that have signed in before, and captchas of custom code, for
// sign-ins, mails and sign-ups, on both APIs.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultAuthSettings } from '../../packages/twain/src/auth/index.ts'
import { MailedAccounts, password } from '../harness/mailed-accounts.ts'

const sdl = (verification = 'OPTIONAL') =>
  `type User @account(verification: ${verification}) @allow(to: [CREATE]) @allow(who: "self") {
    id: ID!
    email: String! @unique
  }`

const createToken = 'mutation ($input: CreateTokenInput!) { createToken(input: $input) { token device } }'
const createCode = 'mutation ($input: CreateCodeInput!) { createCode(input: $input) { secret } }'
const createUser = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }'
const signUp = 'mutation ($input: CreateUserInput!) { signUp(input: $input) { secret } }'

/** Asks everybody for the captcha `boat`, and writes down what it saw. */
const guarded = `
  const seen = []
  export default {
    attempt({ kind, login, failures, captcha, address }) {
      seen.push([kind, login, failures, captcha, address].join(' '))
      if (captcha !== 'boat') throw Object.assign(new Error('What floats?'), { code: 'FORBIDDEN' })
    },
    resolvers: { Query: { seen: () => seen.splice(0) } },
  }`
const seenQuery = '\nextend type Query { seen: [String!]! @allow }'

test('a known device signs in while strangers wait, on both APIs', async (t) => {
  const accounts = await MailedAccounts.open(t, sdl())
  const email = 'ann@example.org'
  await accounts.signUp(email)
  const { device } = (await accounts.signIn(email)).body
  const byGraphql = await accounts.graphql(createToken, { input: { email, password } })
  assert.equal(typeof byGraphql.data.createToken.device, 'string')
  for (let count = 0; count < 5; count++) assert.equal((await accounts.signIn(email, 'a wrong password')).status, 401)

  const stranger = await accounts.signIn(email)
  assert.deepEqual(
    [stranger.status, stranger.body.code, stranger.headers.get('retry-after')],
    [429, 'TOO_MANY_REQUESTS', '1'],
  )
  const twin = await accounts.graphql(createToken, { input: { email, password } })
  assert.equal(twin.errors[0].extensions.code, 'TOO_MANY_REQUESTS')
  const nobody = 'nobody@example.org'
  for (let count = 0; count < 5; count++) assert.equal((await accounts.signIn(nobody, 'a wrong password')).status, 401)
  const unknown = await accounts.signIn(nobody)
  assert.deepEqual([unknown.text.replaceAll(nobody, email), unknown.status], [stranger.text, stranger.status])

  const owner = { email, password, device }
  assert.equal((await accounts.call('POST', '/tokens', owner)).status, 201)
  assert.equal((await accounts.graphql(createToken, { input: owner })).data.createToken.device, device)
  assert.equal((await accounts.call('POST', '/tokens', { ...owner, device: 'somebody else' })).status, 429)
})

test('custom code may ask for a captcha before a password, a mail and a sign-up, on both APIs', async (t) => {
  const accounts = await MailedAccounts.open(t, sdl() + seenQuery, { code: guarded })
  const seen = async () => (await accounts.graphql('{ seen }')).data.seen
  const input = { email: 'Ann@example.org', password }

  const refused = await accounts.call('POST', '/users', input)
  assert.deepEqual([refused.status, refused.body.code, refused.body.detail], [403, 'FORBIDDEN', 'What floats?'])
  assert.equal((await accounts.graphql(createUser, { input })).errors[0].extensions.code, 'FORBIDDEN')
  // Refused ones count.
  assert.deepEqual(
    await seen(),
    [0, 1].map((count) => `signUp ann@example.org ${count}  127.0.0.1`),
  )
  assert.equal((await accounts.call('POST', '/users', { ...input, _captcha: 'boat' })).status, 201)
  // Whoever has no captcha does not learn that the address is taken.
  assert.equal((await accounts.call('POST', '/users', input)).status, 403)
  assert.equal((await accounts.call('POST', '/users', { ...input, _captcha: 'boat' })).status, 409)
  const bob = { email: 'bob@example.org', password, _captcha: 'boat' }
  assert.equal(typeof (await accounts.graphql(createUser, { input: bob })).data.createUser.id, 'string')
  assert.match((await seen()).at(-1), /^signUp bob@example.org \d boat 127.0.0.1$/)
  const wrong = await accounts.call('POST', '/users', { ...bob, _captcha: 7 })
  assert.deepEqual([wrong.status, wrong.body.errors[0].path], [400, '_captcha'])
  const changed = await accounts.call('PATCH', '/users/none', { _captcha: 'boat' })
  assert.ok(changed.status === 400 || changed.status === 401, changed.text)

  for (const captcha of [undefined, 'stone']) {
    const signIn = { ...input, captcha }
    assert.equal((await accounts.call('POST', '/tokens', signIn)).status, 403)
    assert.equal((await accounts.graphql(createToken, { input: signIn })).errors[0].extensions.code, 'FORBIDDEN')
    const mail = { for: 'RESET', email: input.email, captcha }
    assert.equal((await accounts.call('POST', '/codes', mail)).status, 403)
    assert.equal((await accounts.graphql(createCode, { input: mail })).errors[0].extensions.code, 'FORBIDDEN')
  }
  assert.equal(accounts.mailbox.mails.length, 0)
  const signIn = { ...input, captcha: 'boat' }
  assert.equal((await accounts.call('POST', '/tokens', signIn)).status, 201)
  assert.equal(typeof (await accounts.graphql(createToken, { input: signIn })).data.createToken.token, 'string')
  const mail = { for: 'RESET', email: input.email, captcha: 'boat' }
  assert.equal((await accounts.call('POST', '/codes', mail)).status, 202)
  assert.equal(typeof (await accounts.graphql(createCode, { input: mail })).data.createCode.secret, 'string')
})

test('no way to sign up goes around the captcha, and a repeated request needs no other', async (t) => {
  const accounts = await MailedAccounts.open(t, sdl() + seenQuery, { code: guarded })
  const row = { email: 'eve@example.org', password }
  const ways: (() => Promise<{ status: number }>)[] = [
    () => accounts.call('POST', '/users', [row]),
    () => accounts.call('PUT', '/users/eve', row),
    () => accounts.call('POST', '/users?onConflict=email', row),
    () => accounts.call('POST', '/batch', [{ method: 'POST', path: '/users', body: row }]),
    () => accounts.call('POST', '/users', JSON.stringify(row), { 'content-type': 'application/x-ndjson' }),
    () => accounts.call('POST', '/users', [row], { prefer: 'handling=lenient' }),
  ]
  for (const way of ways) {
    const { status } = await way()
    assert.ok(status === 403 || status === 207, `${way}: ${status}`)
  }
  const mutations = [
    'mutation ($row: CreateUserInput!) { createUsers(inputs: [$row]) { id } }',
    'mutation ($row: CreateUserInput!) { createEachUser(inputs: [$row]) { id code } }',
    'mutation ($row: CreateUserInput!) { replaceUser(id: "eve", input: $row) { id } }',
    'mutation ($row: CreateUserInput!) @transaction { createUser(input: $row) { id } }',
  ]
  for (const mutation of mutations) {
    const text = JSON.stringify(await accounts.graphql(mutation, { row }))
    assert.match(text, /FORBIDDEN/, mutation)
  }
  assert.equal((await accounts.signIn(row.email)).status, 403)
  const headers = { 'idempotency-key': '"once"' }
  const made = await accounts.call('POST', '/users', { ...row, _captcha: 'boat' }, headers)
  assert.equal(made.status, 201, made.text)
  await accounts.graphql('{ seen }')
  const again = await accounts.call('POST', '/users', { ...row, _captcha: 'boat' }, headers)
  assert.deepEqual([again.status, again.body.id], [201, made.body.id])
  assert.deepEqual(
    (await accounts.graphql('{ seen }')).data.seen,
    [],
    'the captcha of a repeated request is not used twice',
  )
})

test('a captcha for sign-ups whose address must be proven', async (t) => {
  const accounts = await MailedAccounts.open(t, sdl('REQUIRED') + seenQuery, { code: guarded })
  const email = 'ann@example.org'
  assert.equal((await accounts.call('POST', '/users', { email, password })).status, 403)
  assert.equal((await accounts.graphql(signUp, { input: { email, password } })).errors[0].extensions.code, 'FORBIDDEN')
  assert.equal(accounts.mailsTo(email).length, 0)
  const input = { email, password, _captcha: 'boat' }
  const { result, mail } = await accounts.mailOf(email, () => accounts.call('POST', '/users', input))
  const proof = { email, code: mail.code, secret: result.body.secret }
  assert.equal((await accounts.call('POST', '/verifications', proof)).status, 201)
  const twin = await accounts.graphql(signUp, { input })
  assert.equal(typeof twin.data.signUp.secret, 'string')
})

test('sign-ups of a network are limited, on both APIs, also where hooks run in their transaction', async (t) => {
  const code = 'export default { before: { User: () => {} }, after: { User: () => {} } }'
  const auth = { ...defaultAuthSettings, networkSignUps: 2 }
  const accounts = await MailedAccounts.open(t, sdl(), { code, auth })
  await accounts.signUp('ann@example.org')
  const bob = { email: 'bob@example.org', password }
  assert.equal(typeof (await accounts.graphql(createUser, { input: bob })).data.createUser.id, 'string')
  const late = { email: 'cat@example.org', password }
  const refused = await accounts.call('POST', '/users', late)
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1800'])
  const twin = await accounts.graphql(createUser, { input: late })
  assert.equal(twin.errors[0].extensions.code, 'TOO_MANY_REQUESTS')
})

test('an account that may create others only as anybody may is limited and asked for captchas, on both APIs', async (t) => {
  const staffed = `type User @account @allow(to: [CREATE]) @allow(who: "self") @allow(role: "staff", to: [CREATE, READ]) {
    id: ID!
    email: String! @unique
    roles: [String!]
  }`
  const auth = { ...defaultAuthSettings, networkSignUps: 5 }
  const accounts = await MailedAccounts.open(t, staffed + seenQuery, { code: guarded, auth })
  const ann = { email: 'ann@example.org', password }
  const id = await accounts.signUp(ann.email, { _captcha: 'boat' })
  const { token } = (await accounts.call('POST', '/tokens', { ...ann, captcha: 'boat' })).body
  const input = { email: 'cat@example.org', password }
  assert.equal((await accounts.as(token, 'POST', '/users', input)).status, 403)
  assert.equal((await accounts.graphql(createUser, { input }, token)).errors[0].extensions.code, 'FORBIDDEN')
  const parts = [{ method: 'POST', path: '/users', body: input }]
  assert.equal((await accounts.as(token, 'POST', '/batch', parts)).status, 403)
  assert.equal((await accounts.as(token, 'POST', '/users', { ...input, _captcha: 'boat' })).status, 201)
  const late = { email: 'dan@example.org', password, _captcha: 'boat' }
  assert.equal((await accounts.as(token, 'POST', '/users', late)).status, 429)
  const twin = await accounts.graphql(createUser, { input: late }, token)
  assert.equal(twin.errors[0].extensions.code, 'TOO_MANY_REQUESTS')

  // Its own row is there already, and whoever may create accounts for others does not sign up.
  assert.equal((await accounts.as(token, 'PUT', `/users/${id}`, ann)).status, 200)
  const replace = 'mutation ($id: ID!, $input: CreateUserInput!) { replaceUser(id: $id, input: $input) { id } }'
  assert.equal((await accounts.graphql(replace, { id, input: ann }, token)).data?.replaceUser.id, id)
  const { key } = await accounts.service.key('staff')
  assert.equal((await accounts.as(key, 'POST', '/users', { email: 'dan@example.org', password })).status, 201)
})

test('a replace without the login that its viewer can not see creates nothing and is no 500, on both APIs', async (t) => {
  const hidden = `type User @account @allow(to: [READ, CREATE]) @allow(who: "self") {
    id: ID!
    email: String! @unique @allow(who: "self", to: [READ])
    name: String
  }`
  const accounts = await MailedAccounts.open(t, hidden)
  const input = { name: 'Eve', password }
  const answer = await accounts.call('PUT', '/users/eve', input)
  assert.deepEqual([answer.status, answer.body.errors[0].path], [400, 'email'], answer.text)
  const replace = 'mutation ($input: CreateUserInput!) { replaceUser(id: "eve", input: $input) { id } }'
  const { errors } = await accounts.graphql(replace, { input })
  assert.match(errors[0].message, /email/)
  assert.equal(errors[0].extensions.code, 'VALIDATION_FAILED')
  assert.equal((await accounts.call('GET', '/users/eve')).status, 404)
})
