// Sign-in with a provider: a real OpenID provider on this machine, `POST /tokens` and `createToken`, which accounts join, and what a
// new account needs.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlainBrowser } from '../harness/plain-browser.ts'
import { application, ProviderAccounts } from '../harness/provider-accounts.ts'

const createToken =
  'mutation ($input: CreateTokenInput!) { createToken(input: $input) { id token refreshToken expiresAt } }'

test('sign-in with a provider', async (t) => {
  const setup = await ProviderAccounts.open(t)
  const { accounts, trusted, other } = setup

  await t.test('R240 a new person gets an account, and the same one later', async () => {
    trusted.people.set('p1', { email: 'Ann@example.org', email_verified: true, name: 'Ann' })
    const first = await setup.signInAs('trusted', 'p1')
    assert.equal(first.status, 201, first.text)
    assert.deepEqual(Object.keys(first.body), ['id', 'token', 'refreshToken', 'expiresAt'])
    const id = await setup.accountOf(first.body.token)
    const row = await accounts.as(first.body.token, 'GET', `/users/${id}?fields=email,name,_verifiedAt`)
    assert.deepEqual([row.body.email, row.body.name], ['Ann@example.org', 'Ann'])
    assert.notEqual(row.body._verifiedAt, null)
    const again = await accounts.graphql(createToken, { input: await setup.goAs('trusted', 'p1') })
    assert.equal(await setup.accountOf(again.data.createToken.token), id)
    assert.equal((await accounts.call('POST', '/tokens', { refreshToken: first.body.refreshToken })).status, 201)
  })

  await t.test('R243 a proven address joins a verified account, which keeps its password', async () => {
    const id = await accounts.signUp('bob@example.org')
    const session = await accounts.token('bob@example.org')
    const { email, code, secret } = await accounts.code('VERIFY', 'bob@example.org')
    assert.equal((await accounts.as(session, 'POST', '/verifications', { email, code, secret })).status, 201)
    trusted.people.set('p2', { email: 'bob@example.org', email_verified: true })
    const made = await setup.signInAs('trusted', 'p2')
    assert.equal(await setup.accountOf(made.body.token), id)
    assert.ok(await accounts.isValid(session))
    assert.equal((await accounts.signIn('bob@example.org')).status, 201)
  })

  await t.test('R243 a proven address empties an account whose address nobody had proven', async () => {
    const id = await accounts.signUp('cat@example.org')
    const attacker = await accounts.token('cat@example.org')
    trusted.people.set('p3', { email: 'cat@example.org', email_verified: true })
    const made = await setup.signInAs('trusted', 'p3')
    assert.equal(await setup.accountOf(made.body.token), id)
    assert.equal(await accounts.isValid(attacker), false)
    assert.equal((await accounts.signIn('cat@example.org')).status, 401)
    assert.ok(await accounts.isValid(made.body.token))
  })

  await t.test('R244 an address that the provider does not prove joins nothing', async () => {
    await accounts.signUp('dan@example.org')
    other.people.set('p4', { email: 'dan@example.org', email_verified: true })
    const refused = await setup.signInAs('other', 'p4')
    assert.equal(refused.status, 409, refused.text)
    assert.equal(refused.body.errors[0].path, 'email')
    assert.match(refused.body.hint ?? refused.text, /Sign in as before, then link other/)
    assert.equal((await accounts.signIn('dan@example.org')).status, 201)
    const { errors } = await accounts.graphql(createToken, { input: await setup.goAs('other', 'p4') })
    assert.equal(errors[0].extensions.code, 'CONFLICT')
  })

  await t.test('a new account with an unproven address is unproven', async () => {
    other.people.set('p5', { email: 'eve@example.org', email_verified: true })
    assert.equal((await setup.signInAs('other', 'p5')).status, 201)
    assert.equal(await accounts.verifiedAt('eve@example.org'), null)
  })

  await t.test('wrong input names its problems, on both APIs', async () => {
    const wrong = await accounts.call('POST', '/tokens', { verifier: 'x', cod: 'y' })
    assert.deepEqual(
      wrong.body.errors.map(({ path, code }: { path: string; code: string }) => [path, code]),
      [
        ['cod', 'UNKNOWN'],
        ['code', 'REQUIRED'],
      ],
    )
    const { errors } = await accounts.graphql(createToken, { input: { verifier: 'x' } })
    assert.deepEqual(errors[0].extensions.errors[0].path, 'code')
    const typed = await accounts.call('POST', '/tokens', { verifier: 'x', code: 'y', input: 7 })
    assert.deepEqual(typed.body.errors[0].path, 'input')
  })

  await t.test('a person who says no comes back with an error', async () => {
    trusted.person = 'denied'
    const { url } = setup.start('trusted')
    const { url: back } = await new PlainBrowser().visit(url, application)
    assert.equal(back.href, `${application}?error=access_denied`)
  })
})

test('what a new account lacks', async (t) => {
  const sdl = `
type User @account @allow(to: [CREATE, READ]) @allow(who: "self") {
  id: ID!
  email: String! @unique
  name: String!
  city: String! @constraint(minLength: 2)
  role: String @allow(role: "admin")
}`
  const setup = await ProviderAccounts.open(t, { sdl })
  const { accounts, trusted } = setup

  await t.test('R245 409 lists the fields, and input gives them, with the same code', async () => {
    trusted.people.set('p1', { email: 'ann@example.org', email_verified: true, name: 'Ann' })
    const code = await setup.goAs('trusted', 'p1')
    const lacking = await setup.use(code)
    assert.equal(lacking.status, 409, lacking.text)
    assert.deepEqual(
      lacking.body.errors.map(({ path, code }: { path: string; code: string }) => [path, code]),
      [['input.city', 'REQUIRED']],
    )
    accounts.time.now += 5 * 60_000 // the person fills in a form
    const short = await setup.use({ ...code, input: { city: 'X' } })
    assert.deepEqual(
      [short.status, short.body.errors[0].path, short.body.errors[0].code],
      [400, 'input.city', 'LENGTH'],
    )
    const done = await accounts.graphql(createToken, { input: { ...code, input: { city: 'Oslo' } } })
    assert.ok(done.data.createToken.token)
    const [row] = (await accounts.call('GET', '/users')).body
    assert.deepEqual([row.name, row.city], ['Ann', 'Oslo'])
    assert.equal((await setup.use({ ...code, input: { city: 'Oslo' } })).status, 401)
  })

  await t.test('input is judged by the rules: nobody makes themselves an admin', async () => {
    trusted.people.set('p2', { email: 'mal@example.org', email_verified: true, name: 'Mal' })
    const code = await setup.goAs('trusted', 'p2')
    const refused = await setup.use({ ...code, input: { city: 'Oslo', role: 'admin' } })
    assert.ok([400, 403].includes(refused.status), refused.text)
    assert.equal((await accounts.call('GET', '/users?email=mal@example.org')).body.length, 0)
  })

  await t.test('the ten minutes end', async () => {
    trusted.people.set('p3', { email: 'late@example.org', email_verified: true, name: 'Late' })
    const code = await setup.goAs('trusted', 'p3')
    assert.equal((await setup.use(code)).status, 409)
    accounts.time.now += 10 * 60_000
    assert.equal((await setup.use({ ...code, input: { city: 'Oslo' } })).status, 401)
  })
})

test('a provider signs up nobody whom the rules would not let sign up', async (t) => {
  const sdl = `
type User @account @allow(role: "admin") @allow(who: "self", to: [READ]) {
  id: ID!
  email: String! @unique
}`
  const setup = await ProviderAccounts.open(t, { sdl })
  setup.trusted.people.set('p1', { email: 'ann@example.org', email_verified: true })
  const refused = await setup.signInAs('trusted', 'p1')
  assert.equal(refused.status, 403, refused.text)
})

test('where addresses must be proven, a provider that proves them signs up at once', async (t) => {
  const sdl = `
type User @account(verification: REQUIRED) @allow(to: [CREATE, READ]) @allow(who: "self") {
  id: ID!
  email: String! @unique
  city: String!
}`
  const setup = await ProviderAccounts.open(t, { sdl })
  const { accounts, trusted, other } = setup
  trusted.people.set('p1', { email: 'ann@example.org', email_verified: true })
  other.people.set('p1', { email: 'bob@example.org', email_verified: true })
  const code = await setup.goAs('trusted', 'p1')
  assert.equal((await setup.use(code)).status, 409)
  const another = await setup.use({ ...code, input: { city: 'Oslo', email: 'eve@example.org' } })
  assert.deepEqual([another.status, another.body.errors[0].path], [400, 'input.email'])
  const made = await setup.use({ ...code, input: { city: 'Oslo' } })
  assert.equal(made.status, 201, made.text)
  assert.notEqual(await accounts.verifiedAt('ann@example.org'), null)
  const unproven = await setup.signInAs('other', 'p1')
  assert.deepEqual([unproven.status, unproven.body.code], [409, 'CONFLICT'])
  assert.match(unproven.text, /Sign up with the email, then link other/)
  other.people.set('p2', { email: 'ann@example.org', email_verified: true })
  const taken = await setup.signInAs('other', 'p2')
  assert.deepEqual(taken.body.detail, unproven.body.detail) // nothing tells that the address is taken
})
