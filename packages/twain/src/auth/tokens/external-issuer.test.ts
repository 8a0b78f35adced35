// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { openAuth } from '../auth.fixture.ts'
import type { AuthSettings } from '../settings.ts'
import { openIssuer } from './external-issuer.fixture.ts'

const refused = { code: 'UNAUTHENTICATED' }

/** Claims of a token whose issuer has verified the address. */
const ann = { sub: 'u-1', email: 'ann@example.org', email_verified: true }

test('a token of the external issuer authenticates the account that it joins', async (t) => {
  const { sign, fixture } = await open(t)
  const { signUp, viewerOf } = await fixture()
  const account = await signUp('Ann@Example.org', undefined, ['editor'])
  const token = await sign({ ...ann, jti: 'j1' })
  const viewer = { account, roles: ['editor'], authenticated: true, token: 'j1', via: '(unknown)', verified: true }
  assert.deepEqual(await viewerOf(token), viewer)
  await assert.rejects(viewerOf(await sign({ ...ann, sub: 'u-2', email: 'bob@example.org' })), {
    ...refused,
    message: /no account here/,
  })
})

test('the claims for the account and roles can be configured, by path too', async (t) => {
  const { sign, fixture } = await open(t)
  const { signUp, viewerOf } = await fixture({ accountClaim: 'email', rolesClaim: 'realm_access.roles' })
  await signUp('ann@example.org', undefined, ['admin'])
  const claims = { ...ann, realm_access: { roles: ['reader', 7] } }
  assert.deepEqual((await viewerOf(await sign(claims))).roles, ['reader'])
  assert.deepEqual((await viewerOf(await sign({ email: 'ann@example.org' }))).roles, [])
  await assert.rejects(viewerOf(await sign({ ...claims, email_verified: false })), refused)
  for (const email of [undefined, '', 7, { $ne: 1 }, 'a\0b', '\ud800', 'x'.repeat(1025)]) {
    await assert.rejects(viewerOf(await sign({ email })), refused)
  }
})

test('a token for another audience, without expiry or expired is refused', async (t) => {
  const { sign, fixture } = await open(t)
  const { signUp, viewerOf } = await fixture()
  await signUp('ann@example.org')
  const now = Math.floor(Date.now() / 1000)
  for (const claims of [
    { aud: 'another' },
    { aud: undefined },
    { exp: now - 10 },
    { exp: undefined },
    { iss: 'twain' },
  ]) {
    await assert.rejects(viewerOf(await sign({ ...ann, ...claims })), refused, JSON.stringify(claims))
  }
})

test('a token signed with the public key as HMAC secret is refused', async (t) => {
  const { fixture, jwk, kid } = await open(t)
  const { signUp, viewerOf } = await fixture()
  await signUp('ann@example.org')
  const payload = {
    ...ann,
    iss: 'https://id.example',
    aud: 'api',
    exp: Math.floor(Date.now() / 1000) + 60,
  }
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  for (const alg of ['HS256', 'none']) {
    const signed = `${part({ alg, kid })}.${part(payload)}`
    const signature = createHmac('sha256', JSON.stringify(jwk)).update(signed).digest('base64url')
    await assert.rejects(viewerOf(`${signed}.${alg === 'none' ? '' : signature}`), refused)
  }
})

test('keys are fetched once, and unknown key ids do not cause repeated fetches', async (t) => {
  const { sign, fixture, calls } = await open(t)
  const { signUp, viewerOf } = await fixture()
  await signUp('ann@example.org')
  for (let count = 0; count < 5; count++) await viewerOf(await sign({ ...ann, jti: String(count) }))
  for (let count = 0; count < 20; count++) {
    await assert.rejects(viewerOf(await sign(ann, `unknown${count}`)), refused)
  }
  assert.equal(calls.length, 1)
})

test('tokens of other issuers never cause a fetch', async (t) => {
  const { sign, fixture, calls } = await open(t)
  const { viewerOf } = await fixture()
  await assert.rejects(viewerOf(await sign({ ...ann, iss: 'https://evil.example' })), refused)
  assert.equal(calls.length, 0)
})

test('while the keys are unavailable the answer is UNAVAILABLE, and the next fetch waits', async (t) => {
  const { sign, fixture, calls, state } = await open(t)
  const { signUp, viewerOf, time } = await fixture()
  await signUp('ann@example.org')
  const token = await sign(ann)
  state.status = 500
  for (let count = 0; count < 5; count++) await assert.rejects(viewerOf(token), { code: 'UNAVAILABLE' })
  assert.equal(calls.length, 1)
  state.status = 200
  time.now += 10_000
  await viewerOf(token)
})

async function open(t: TestContext) {
  const issuer = await openIssuer(t)
  const { jwks, name } = issuer
  return {
    ...issuer,
    fixture: (settings: Partial<AuthSettings> = {}) =>
      openAuth(t, { issuer: name, audience: 'api', jwks, ...settings }),
  }
}
