// Known attacks on JWTs: each is a 401, and none causes a network request.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { SignJWT } from 'jose'
import { type AuthFixture, goodPassword, openAuth } from '../auth.fixture.ts'

const refused = { code: 'UNAUTHENTICATED', headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }

test('a token with the right claims and signature is valid, so the forgeries below fail for their defect', async (t) => {
  const { viewerOf, forge } = await attacked(t)
  await viewerOf(await forge({}))
})

test('alg none is refused in upper and lower case', async (t) => {
  const { viewerOf, payload, kid } = await attacked(t)
  for (const alg of ['none', 'None', 'NONE', 'nOnE', '', undefined]) {
    for (const signature of ['', 'x']) {
      await assert.rejects(viewerOf(`${part({ alg, typ: 'at+jwt', kid })}.${part(payload)}.${signature}`), refused)
    }
  }
})

test('another algorithm is refused, also with the right secret', async (t) => {
  const { viewerOf, payload, kid, secret } = await attacked(t)
  for (const [alg, hash] of [
    ['HS384', 'sha384'],
    ['HS512', 'sha512'],
    ['RS256', 'sha256'],
    ['hs256', 'sha256'],
  ] as const) {
    const signed = `${part({ alg, typ: 'at+jwt', kid })}.${part(payload)}`
    const signature = createHmac(hash, secret).update(signed).digest('base64url')
    await assert.rejects(viewerOf(`${signed}.${signature}`), refused)
  }
})

test('an attacker’s key pair is refused wherever the header points to its key, and nothing is fetched', async (t) => {
  const { viewerOf, payload, kid } = await attacked(t)
  let calls = 0
  const server = createServer((_, reply) => {
    calls++
    reply.end('{}')
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = publicKey.export({ format: 'jwk' })
  for (const trick of [
    {},
    { kid },
    { jku: address },
    { jwk },
    { x5u: address },
    { kid: address },
    { jku: address, kid },
  ]) {
    const header = { alg: 'RS256', typ: 'at+jwt', ...trick }
    await assert.rejects(viewerOf(await new SignJWT(payload).setProtectedHeader(header).sign(privateKey)), refused)
  }
  assert.equal(calls, 0)
})

test('an unknown kid is refused', async (t) => {
  const { viewerOf, forge } = await attacked(t)
  for (const kid of ['', '../../dev/null', "' OR 1=1 --", '__proto__', 'constructor', 0, null, ['x'], {}, undefined]) {
    await assert.rejects(viewerOf(await forge({}, { kid: kid as string })), refused)
  }
})

test('a critical header parameter is refused', async (t) => {
  const { viewerOf, payload, kid, secret } = await attacked(t)
  for (const extra of [{ crit: ['exp'], exp: 1 }, { crit: ['x'], x: 1 }, { crit: [] }, { crit: ['b64'], b64: false }]) {
    const signed = `${part({ alg: 'HS256', typ: 'at+jwt', kid, ...extra })}.${part(payload)}`
    await assert.rejects(
      viewerOf(`${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`),
      refused,
    )
  }
})

test('wrong or missing claims are refused', async (t) => {
  const { viewerOf, forge, time } = await attacked(t)
  const now = Math.floor(time.now / 1000)
  for (const claims of [
    { exp: undefined },
    { exp: now - 1 },
    { exp: 'never' },
    { exp: null },
    { nbf: now + 60 },
    { aud: undefined },
    { aud: 'another' },
    { aud: [] },
    { iss: undefined },
    { iss: 'another' },
    { iat: undefined },
    { jti: undefined },
    { jti: 7 },
    { jti: 'another' },
    { sub: undefined },
    { sub: 7 },
    { sub: ['x'] },
    { sub: { $ne: null } },
    { sub: 'another' },
  ]) {
    await assert.rejects(viewerOf(await forge(claims)), refused, JSON.stringify(claims))
  }
})

test('one kind of token is never accepted for another', async (t) => {
  const { viewerOf, forge, tokens, signIn, signedTokens, time } = await attacked(t)
  const { token, refreshToken } = await signIn('ann@example.org')
  await assert.rejects(viewerOf(refreshToken), refused)
  await assert.rejects(tokens.signIn({ refreshToken: token }, ''), refused)
  await assert.rejects(
    tokens.signIn({ refreshToken: await signedTokens.signOperator('x', ['admin'], time.now + 1e6) }, ''),
    refused,
  )
  for (const typ of ['JWT', 'rt+jwt', '', undefined]) await assert.rejects(viewerOf(await forge({}, { typ })), refused)
  const { roles } = await viewerOf(await forge({ roles: ['admin'], op: true }))
  assert.deepEqual(roles, [])
})

test('a changed, truncated or other signature is refused', async (t) => {
  const { viewerOf, forge } = await attacked(t)
  const good = await forge({})
  const [header, claims, signature] = good.split('.') as [string, string, string]
  const other = await (await attacked(t)).forge({})
  for (const text of [
    `${header}.${claims}.`,
    `${header}.${claims}`,
    `${header}.${claims}.${signature.slice(0, -4)}`,
    `${header}.${part({ sub: 'x' })}.${signature}`,
    `${good}.${signature}`,
    other,
  ]) {
    await assert.rejects(viewerOf(text), refused)
  }
})

/** Ann, signed in, and what an attacker would need to forge her token. */
async function attacked(t: TestContext) {
  const fixture: AuthFixture = await openAuth(t, { secret: 'a secret that the attacker should not have' })
  const account = await fixture.signUp('ann@example.org', goodPassword)
  const { id } = await fixture.signIn('ann@example.org')
  const { newest, audience } = await fixture.keys.current()
  const now = Math.floor(fixture.time.now / 1000)
  const payload = { sub: account, jti: id, iss: 'twain', aud: audience, iat: now, exp: now + 900 }
  return {
    ...fixture,
    payload,
    kid: newest.kid,
    secret: newest.key,
    /** Signed as Twain does, with other claims or another header. */
    forge(claims: object, header: { kid?: string; typ?: string | undefined } = {}): Promise<string> {
      const protectedHeader = { alg: 'HS256', typ: 'at+jwt', kid: newest.kid, ...header } as { alg: string }
      return new SignJWT(JSON.parse(JSON.stringify({ ...payload, ...claims })))
        .setProtectedHeader(JSON.parse(JSON.stringify(protectedHeader)))
        .sign(newest.key)
    },
  }
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
