// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { openAuth } from '../auth.fixture.ts'
import type { AuthSettings } from '../settings.ts'

const refused = { code: 'UNAUTHENTICATED' }

test('a token of the external issuer authenticates the account with that login', async (t) => {
  const { sign, fixture } = await open(t)
  const { signUp, viewerOf } = await fixture()
  const account = await signUp('Ann@Example.org', undefined, ['editor'])
  const token = await sign({ sub: 'ann@example.org', jti: 'j1' })
  assert.deepEqual(await viewerOf(token), { account, roles: ['editor'], authenticated: true, token: 'j1' })
  await assert.rejects(viewerOf(await sign({ sub: 'bob@example.org' })), refused)
})

test('the claims for login and roles can be configured, by path too', async (t) => {
  const { sign, fixture } = await open(t)
  const { signUp, viewerOf } = await fixture({ accountClaim: 'email', rolesClaim: 'realm_access.roles' })
  await signUp('ann@example.org', undefined, ['admin'])
  const claims = { sub: '1', email: 'ann@example.org', realm_access: { roles: ['reader', 7] } }
  assert.deepEqual((await viewerOf(await sign(claims))).roles, ['reader'])
  assert.deepEqual((await viewerOf(await sign({ email: 'ann@example.org' }))).roles, [])
  await assert.rejects(viewerOf(await sign({ ...claims, email_verified: false })), refused)
  for (const email of [undefined, '', 7, { $ne: 1 }]) await assert.rejects(viewerOf(await sign({ email })), refused)
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
    await assert.rejects(viewerOf(await sign({ sub: 'ann@example.org', ...claims })), refused, JSON.stringify(claims))
  }
})

test('a token signed with the public key as HMAC secret is refused', async (t) => {
  const { fixture, jwk, kid } = await open(t)
  const { signUp, viewerOf } = await fixture()
  await signUp('ann@example.org')
  const payload = {
    sub: 'ann@example.org',
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
  for (let count = 0; count < 5; count++) await viewerOf(await sign({ sub: 'ann@example.org', jti: String(count) }))
  for (let count = 0; count < 20; count++) {
    await assert.rejects(viewerOf(await sign({ sub: 'ann@example.org' }, `unknown${count}`)), refused)
  }
  assert.equal(calls.length, 1)
})

test('tokens of other issuers never cause a fetch', async (t) => {
  const { sign, fixture, calls } = await open(t)
  const { viewerOf } = await fixture()
  await assert.rejects(viewerOf(await sign({ sub: 'ann@example.org', iss: 'https://evil.example' })), refused)
  assert.equal(calls.length, 0)
})

test('while the keys are unavailable the answer is UNAVAILABLE, and the next fetch waits', async (t) => {
  const { sign, fixture, calls, state } = await open(t)
  const { signUp, viewerOf, time } = await fixture()
  await signUp('ann@example.org')
  const token = await sign({ sub: 'ann@example.org' })
  state.status = 500
  for (let count = 0; count < 5; count++) await assert.rejects(viewerOf(token), { code: 'UNAVAILABLE' })
  assert.equal(calls.length, 1)
  state.status = 200
  time.now += 10_000
  await viewerOf(token)
})

test('with createAccounts an account is created at the first sign-in, once', async (t) => {
  const { sign, fixture } = await open(t)
  const made: string[] = []
  const { signUp, viewerOf, time } = await fixture({ createAccounts: true }, async ({ claimedLogin }) => {
    made.push(claimedLogin)
    return signUp(claimedLogin)
  })
  const token = await sign({ sub: 'Ann@example.org' })
  const viewers = await Promise.all([viewerOf(token), viewerOf(token)])
  assert.equal(viewers[0].account, viewers[1].account)
  time.now += 1000
  assert.equal((await viewerOf(token)).account, viewers[0].account)
  assert.ok(made.length <= 2)
})

/** An issuer on its own port. */
async function open(t: TestContext) {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const kid = 'k1'
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'ES256' }
  const calls: string[] = []
  const state = { status: 200 }
  const server = createServer((request, reply) => {
    calls.push(request.url ?? '')
    reply.writeHead(state.status, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [jwk] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const jwks = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
  return {
    jwk,
    kid,
    calls,
    state,
    fixture: (
      settings: Partial<AuthSettings> = {},
      makeAccount?: (identity: { claimedLogin: string }) => Promise<string>,
    ) =>
      openAuth(
        t,
        { issuer: 'https://id.example', audience: 'api', jwks, ...settings },
        { ...(makeAccount && { makeAccount }) },
      ),
    sign(claims: object, keyId = kid): Promise<string> {
      const payload = { iss: 'https://id.example', aud: 'api', exp: Math.floor(Date.now() / 1000) + 60, ...claims }
      return new SignJWT(JSON.parse(JSON.stringify(payload)))
        .setProtectedHeader({ alg: 'ES256', kid: keyId })
        .sign(privateKey)
    },
  }
}
