// The five kinds of pre-hijacking (Sudhodanan and Paverd, 2022): somebody prepares an account with the address of a person who comes
// later. Each has a test of its name, through both APIs.
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

/** What the attacker and the victim do, through one of the APIs. */
interface Api {
  /** The addresses of the account rows that a token reads: its own; or the code of the error. */
  own(accounts: MailedAccounts, token: string): Promise<string[] | string>
  /** The victim sets a password by a code. Returns the token of the new session. */
  reset(accounts: MailedAccounts): Promise<string>
  changeAddress(accounts: MailedAccounts, token: string, id: string, to: string): Promise<unknown>
  /** The code of the error, or null. */
  renew(accounts: MailedAccounts, refreshToken: string): Promise<string | null>
}

const createToken = 'mutation ($input: CreateTokenInput!) { createToken(input: $input) { token } }'

const apis: Record<string, Api> = {
  REST: {
    async own(accounts, token) {
      const { status, body } = await accounts.as(token, 'GET', '/users')
      return status === 200 ? (body as { email: string }[]).map((row) => row.email) : body.code
    },
    async reset(accounts) {
      const { code, secret } = await accounts.code('RESET', email)
      const { status, body } = await accounts.call('POST', '/tokens', { email, code, secret, password: chosen })
      assert.equal(status, 201)
      return body.token
    },
    changeAddress: (accounts, token, id, to) => accounts.as(token, 'PATCH', `/users/${id}`, { email: to }),
    renew: async (accounts, refreshToken) =>
      (await accounts.call('POST', '/tokens', { refreshToken })).body.code ?? null,
  },
  GraphQL: {
    async own(accounts, token) {
      const { data, errors, code } = await accounts.graphql('{ users { email } }', {}, token)
      if (data === undefined || errors !== undefined) return code ?? errors[0].extensions.code
      return data.users.map((row: { email: string }) => row.email)
    },
    async reset(accounts) {
      const { result, mail } = await accounts.mailOf(email, () =>
        accounts.graphql(`mutation { createCode(input: {for: RESET, email: "${email}"}) { secret } }`),
      )
      const input = { email, code: mail.code, secret: result.data.createCode.secret, password: chosen }
      const { data, errors } = await accounts.graphql(createToken, { input })
      assert.equal(errors, undefined)
      return data.createToken.token
    },
    changeAddress: (accounts, token, id, to) =>
      accounts.graphql(
        'mutation ($id: ID!, $to: String!) { updateUser(id: $id, email: $to) { id } }',
        { id, to },
        token,
      ),
    async renew(accounts, refreshToken) {
      const { errors } = await accounts.graphql(createToken, { input: { refreshToken } })
      return errors?.[0].extensions.code ?? null
    },
  },
}

/** A service that also takes tokens of an external issuer. */
async function open(t: TestContext, { own, reset }: Api) {
  const { name: issuer, jwks, sign } = await openIssuer(t)
  const auth = { ...defaultAuthSettings, issuer, jwks, audience: 'api', createAccounts: true }
  const accounts = await MailedAccounts.open(t, sdl, { auth })
  return {
    accounts,
    sign,
    own: (token: string) => own(accounts, token),
    async reset(): Promise<void> {
      assert.deepEqual(await own(accounts, await reset(accounts)), [email])
      accounts.time.now += 1001 // an ended session ends within a second
    },
  }
}

for (const [name, api] of Object.entries(apis)) {
  test(`pre-hijacking: classic-federated merge (${name})`, async (t) => {
    const { accounts, sign, own } = await open(t, api)
    await accounts.signUp(email)
    const attacker = await accounts.token(email)
    assert.deepEqual(await own(await sign({ sub: 'victim', email, email_verified: true })), [email])
    accounts.time.now += 1001
    assert.equal((await accounts.signIn(email)).status, 401)
    assert.equal(await own(attacker), 'UNAUTHENTICATED')
  })

  test(`pre-hijacking: unexpired session (${name})`, async (t) => {
    const { accounts, own, reset } = await open(t, api)
    await accounts.signUp(email)
    const { token, refreshToken } = (await accounts.signIn(email)).body
    await reset()
    assert.equal(await own(token), 'UNAUTHENTICATED')
    assert.equal(await api.renew(accounts, refreshToken), 'UNAUTHENTICATED')
    assert.equal((await accounts.signIn(email, chosen)).status, 201)
  })

  test(`pre-hijacking: trojan identifier (${name})`, async (t) => {
    const { accounts, sign, own, reset } = await open(t, api)
    const trojan = await sign({ sub: 'attacker', email, email_verified: false })
    assert.deepEqual(await own(trojan), [email])
    await reset()
    assert.equal(await own(await sign({ sub: 'attacker', email, email_verified: false, jti: '2' })), 'CONFLICT')
    assert.equal((await accounts.signIn(email, chosen)).status, 201)
  })

  test(`pre-hijacking: unexpired email change (${name})`, async (t) => {
    const { accounts, reset } = await open(t, api)
    const id = await accounts.signUp(email)
    const attacker = await accounts.token(email)
    const { mail } = await accounts.mailOf('attacker@example.org', () =>
      api.changeAddress(accounts, attacker, id, 'attacker@example.org'),
    )
    await reset()
    assert.equal((await accounts.press(mail.url!, password)).status, 410)
    assert.equal((await accounts.signIn('attacker@example.org')).status, 401)
    assert.equal((await accounts.signIn(email, chosen)).status, 201)
  })

  test(`pre-hijacking: non-verifying identity provider (${name})`, async (t) => {
    const { accounts, sign, own } = await open(t, api)
    await accounts.signUp(email)
    for (const email_verified of [undefined, false, 'true'])
      assert.equal(await own(await sign({ sub: 'attacker', email, email_verified })), 'CONFLICT')
    assert.equal((await accounts.signIn(email)).status, 201)
  })
}
