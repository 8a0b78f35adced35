// The five kinds of pre-hijacking (Sudhodanan and Paverd, 2022): somebody prepares an account with the address of a person who comes
// later. Each has a test of its name.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { defaultAuthSettings } from '../../packages/twain/src/auth/index.ts'
import { openIssuer } from '../../packages/twain/src/auth/tokens/external-issuer.fixture.ts'
import { MailedAccounts, password } from '../harness/mailed-accounts.ts'

const sdl = `
type User @account @allow(to: [CREATE]) @allow(who: "self") {
  id: ID!
  email: String! @unique
}`

const email = 'victim@example.org'
const chosen = 'the own horse battery'

/** A service that also takes tokens of an external issuer. */
async function open(t: TestContext) {
  const { name: issuer, jwks, sign } = await openIssuer(t)
  const auth = { ...defaultAuthSettings, issuer, jwks, audience: 'api', createAccounts: true }
  const accounts = await MailedAccounts.open(t, sdl, { auth })
  /** The addresses of the account rows that a token reads: its own. */
  const own = async (token: string) => {
    const { status, body } = await accounts.as(token, 'GET', '/users')
    return status === 200 ? (body as { email: string }[]).map((row) => row.email) : status
  }
  return { accounts, sign, own }
}

/** The victim sets a password by a code. */
async function reset(accounts: MailedAccounts): Promise<void> {
  const { code, secret } = await accounts.code('RESET', email)
  assert.equal((await accounts.call('POST', '/tokens', { email, code, secret, password: chosen })).status, 201)
  accounts.time.now += 1001 // an ended session ends within a second
}

test('pre-hijacking: classic-federated merge', async (t) => {
  const { accounts, sign, own } = await open(t)
  await accounts.signUp(email)
  const attacker = await accounts.token(email)
  assert.deepEqual(await own(await sign({ sub: 'victim', email, email_verified: true })), [email])
  accounts.time.now += 1001
  assert.equal((await accounts.signIn(email)).status, 401)
  assert.equal(await accounts.isValid(attacker), false)
})

test('pre-hijacking: unexpired session', async (t) => {
  const { accounts } = await open(t)
  await accounts.signUp(email)
  const { token, refreshToken } = (await accounts.signIn(email)).body
  await reset(accounts)
  assert.equal(await accounts.isValid(token), false)
  assert.equal((await accounts.call('POST', '/tokens', { refreshToken })).status, 401)
  assert.equal((await accounts.signIn(email, chosen)).status, 201)
})

test('pre-hijacking: trojan identifier', async (t) => {
  const { accounts, sign, own } = await open(t)
  const trojan = await sign({ sub: 'attacker', email, email_verified: false })
  assert.deepEqual(await own(trojan), [email])
  await reset(accounts)
  assert.equal(await own(await sign({ sub: 'attacker', email, email_verified: false, jti: '2' })), 409)
  assert.equal((await accounts.signIn(email, chosen)).status, 201)
})

test('pre-hijacking: unexpired email change', async (t) => {
  const { accounts } = await open(t)
  const id = await accounts.signUp(email)
  const attacker = await accounts.token(email)
  const { mail } = await accounts.mailOf('attacker@example.org', () =>
    accounts.as(attacker, 'PATCH', `/users/${id}`, { email: 'attacker@example.org' }),
  )
  await reset(accounts)
  assert.equal((await accounts.press(mail.url!, password)).status, 410)
  assert.equal((await accounts.signIn('attacker@example.org')).status, 401)
  assert.equal((await accounts.signIn(email, chosen)).status, 201)
})

test('pre-hijacking: non-verifying identity provider', async (t) => {
  const { accounts, sign, own } = await open(t)
  await accounts.signUp(email)
  for (const email_verified of [undefined, false, 'true'])
    assert.equal(await own(await sign({ sub: 'attacker', email, email_verified })), 409)
  assert.equal((await accounts.signIn(email)).status, 201)
})
