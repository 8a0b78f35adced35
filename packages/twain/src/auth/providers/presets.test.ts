// Each provider against a fake of its documented endpoints. Nothing here leaves the machine, so that the real ones stay untried.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportPKCS8, generateKeyPair, type JWTPayload, jwtVerify } from 'jose'
import * as library from 'oauth4webapi'
import { discovered, type FakeAnswers, fakeProvider, keySet, type ProviderCall } from './fake-provider.fixture.ts'
import { provesAddress } from './presets.ts'
import { ProviderClient, ProviderRefusal } from './provider-client.ts'
import type { ProviderSettings } from './provider-settings.ts'

const flow = { state: '0state', nonce: 'the nonce', verifier: 'v'.repeat(43) }
const redirectUri = 'https://api.example.com/sign-in/x/callback'
const settings: ProviderSettings = { clientId: 'client', clientSecret: 'client secret' }

interface Finished {
  authorization: URL
  calls: ProviderCall[]
  profile: Awaited<ReturnType<ProviderClient['profile']>>
  isProven: boolean
}

async function signIn(
  name: string,
  answers: FakeAnswers,
  more: Partial<ProviderSettings> = {},
  callback: Record<string, string> = {},
): Promise<Finished> {
  const { fetch, calls } = fakeProvider(answers)
  const clock = () => Date.now()
  const all = { ...settings, ...more }
  const client = new ProviderClient({ name, settings: all, library, redirectUri: () => redirectUri, clock, fetch })
  const authorization = new URL(await client.authorizationUrl(flow))
  answers.expected = { challenge: authorization.searchParams.get('code_challenge')!, nonce: flow.nonce }
  const parameters = new URLSearchParams({ code: answers.code, state: flow.state, ...callback })
  const profile = await client.profile(parameters, flow)
  return { authorization, calls, profile, isProven: provesAddress(client.preset, all, profile) }
}

function openid(issuer: string, claims: JWTPayload, get: Record<string, unknown> = {}): FakeAnswers {
  const idToken = (nonce: string) => ({ iss: issuer, aud: 'client', nonce, ...claims })
  return { get, token: `${issuer}/token`, idToken, code: 'one' }
}

test('google: an address counts if Google runs its mailbox', async () => {
  const issuer = 'https://accounts.google.com'
  const get = await discovered(issuer)
  const as = (claims: JWTPayload) =>
    signIn('google', openid(issuer, { sub: '1', name: 'Ann', email_verified: true, ...claims }, get))
  const { authorization, calls, profile, isProven } = await as({ email: 'ann@gmail.com' })
  assert.equal(authorization.origin + authorization.pathname, `${issuer}/authorize`)
  assert.deepEqual(
    ['response_type', 'client_id', 'redirect_uri', 'scope', 'state', 'nonce', 'code_challenge_method'].map((name) =>
      authorization.searchParams.get(name),
    ),
    ['code', 'client', redirectUri, 'openid email profile', flow.state, flow.nonce, 'S256'],
  )
  const { body } = calls.find(({ address }) => address === `${issuer}/token`)!
  assert.deepEqual(
    [body.get('client_id'), body.get('client_secret'), body.get('redirect_uri')],
    ['client', 'client secret', redirectUri],
  )
  assert.deepEqual(
    [profile.issuer, profile.subject, profile.email, profile.claims.name],
    [issuer, '1', 'ann@gmail.com', 'Ann'],
  )
  assert.equal(isProven, true)
  assert.equal((await as({ email: 'ann@shop.example', hd: 'shop.example' })).isProven, true)
  assert.equal((await as({ email: 'ann@shop.example' })).isProven, false)
  assert.equal((await as({ email: 'ann@gmail.com', email_verified: false })).isProven, false)
  assert.equal((await as({ email: 'ann@gmail.com.evil.example' })).isProven, false)
})

test('github: the primary address, which counts only if the operator says so', async () => {
  const answers = (verified: boolean): FakeAnswers => ({
    get: {
      'https://api.github.com/user': {
        id: 583_231,
        login: 'octocat',
        name: null,
        avatar_url: 'https://x.example/o.png',
      },
      'https://api.github.com/user/emails': [
        { email: 'other@example.org', primary: false, verified: true },
        { email: 'octocat@example.org', primary: true, verified },
      ],
    },
    token: 'https://github.com/login/oauth/access_token',
    idToken: null,
    code: 'one',
  })
  const { authorization, calls, profile, isProven } = await signIn('github', answers(true))
  assert.equal(authorization.origin + authorization.pathname, 'https://github.com/login/oauth/authorize')
  assert.equal(authorization.searchParams.get('scope'), 'read:user user:email')
  assert.equal(calls.find(({ address }) => address.endsWith('/user'))!.headers.get('authorization'), 'Bearer access')
  assert.deepEqual(
    [profile.issuer, profile.subject, profile.email],
    ['https://github.com', '583231', 'octocat@example.org'],
  )
  assert.equal(profile.claims.name, 'octocat')
  assert.equal(isProven, false)
  assert.equal((await signIn('github', answers(true), { provesAddresses: true })).isProven, true)
  assert.equal((await signIn('github', answers(true), { provesAddresses: ['example.org'] })).isProven, true)
  assert.equal((await signIn('github', answers(true), { provesAddresses: ['example.com'] })).isProven, false)
  assert.equal((await signIn('github', answers(false), { provesAddresses: true })).isProven, false)
})

test('github enterprise: an installation is an issuer of its own', async () => {
  const url = 'https://git.example.com'
  const { profile } = await signIn(
    'github',
    {
      get: { [`${url}/api/v3/user`]: { id: 1, login: 'ann' }, [`${url}/api/v3/user/emails`]: [] },
      token: `${url}/login/oauth/access_token`,
      idToken: null,
      code: 'one',
    },
    { url: `${url}/` },
  )
  assert.deepEqual([profile.issuer, profile.subject, profile.email], [url, '1', null])
})

test('gitlab: the name is at the userinfo endpoint; the signed claims count first', async () => {
  const issuer = 'https://gitlab.com'
  const get = {
    ...(await discovered(issuer, { userinfo_endpoint: `${issuer}/oauth/userinfo` })),
    [`${issuer}/oauth/userinfo`]: { sub: '7', name: 'Ann', email: 'evil@example.org', email_verified: true },
  }
  const { profile, isProven } = await signIn('gitlab', openid(issuer, { sub: '7', email: 'ann@example.org' }, get))
  assert.deepEqual([profile.email, profile.isVerified, profile.claims.name], ['ann@example.org', false, 'Ann'])
  assert.equal(isProven, false)
  const swapped = { ...get, [`${issuer}/oauth/userinfo`]: { sub: '8', name: 'Mal' } }
  await assert.rejects(signIn('gitlab', openid(issuer, { sub: '7' }, swapped)), ProviderRefusal)
})

test('microsoft: a tenant is an issuer, and no address counts', async () => {
  const tenant = '72f988bf-86f1-41af-91ab-2d7cd011db47'
  const base = 'https://login.microsoftonline.com'
  const answers = async (of: string, claims: JWTPayload): Promise<FakeAnswers> => ({
    get: { [`${base}/${of}/discovery/v2.0/keys`]: await keySet() },
    token: `${base}/${of}/oauth2/v2.0/token`,
    idToken: (nonce) => ({ aud: 'client', nonce, sub: 's', email: 'ann@example.org', email_verified: true, ...claims }),
    code: 'one',
  })
  const claims = { iss: `${base}/${tenant}/v2.0`, tid: tenant }
  const { profile, isProven } = await signIn('microsoft', await answers('common', claims))
  assert.deepEqual([profile.issuer, profile.subject], [`${base}/${tenant}/v2.0`, 's'])
  assert.equal(isProven, false)
  const another = 'ffffffff-86f1-41af-91ab-2d7cd011db47'
  await assert.rejects(signIn('microsoft', await answers(another, claims), { tenant: another }), ProviderRefusal)
  await assert.rejects(signIn('microsoft', await answers('common', { ...claims, tid: another })), ProviderRefusal)
  await assert.rejects(signIn('microsoft', await answers('common', { iss: claims.iss, tid: '../x' })), ProviderRefusal)
})

test('apple: the client secret is a signed token, and a form has the name', async () => {
  const issuer = 'https://appleid.apple.com'
  const keys = await generateKeyPair('ES256', { extractable: true })
  const pem = (await exportPKCS8(keys.privateKey)).replaceAll('\n', '\\n')
  const apple = { teamId: 'TEAM', keyId: 'KEY', privateKey: pem }
  const get = await discovered(issuer)
  const user = JSON.stringify({ name: { firstName: 'Ann', lastName: 'Oak' }, email: 'evil@example.org' })
  const claims = { sub: '001', email: 'x@privaterelay.appleid.com', email_verified: 'true' }
  const answers = openid(issuer, claims, get)
  const { authorization, calls, profile, isProven } = await signIn(
    'apple',
    answers,
    { clientSecret: undefined as never, ...apple },
    { user },
  )
  assert.equal(authorization.searchParams.get('response_mode'), 'form_post')
  const { body } = calls.find(({ address }) => address === `${issuer}/token`)!
  const { payload, protectedHeader } = await jwtVerify(body.get('client_secret')!, keys.publicKey, { audience: issuer })
  assert.deepEqual([protectedHeader.kid, payload.iss, payload.sub], ['KEY', 'TEAM', 'client'])
  assert.deepEqual([profile.email, profile.claims.name], ['x@privaterelay.appleid.com', 'Ann Oak'])
  assert.equal(isProven, true)
})

test('discord: who signed in is at /users/@me', async () => {
  const { authorization, profile, isProven } = await signIn('discord', {
    get: {
      'https://discord.com/api/users/@me': {
        id: '80351110224678912',
        username: 'nelly',
        global_name: 'Nelly',
        email: 'nelly@example.org',
        verified: true,
      },
    },
    token: 'https://discord.com/api/oauth2/token',
    idToken: null,
    code: 'one',
  })
  assert.equal(authorization.searchParams.get('scope'), 'identify email')
  assert.deepEqual(
    [profile.issuer, profile.subject, profile.claims.name],
    ['https://discord.com', '80351110224678912', 'Nelly'],
  )
  assert.deepEqual([profile.isVerified, isProven], [true, false])
})

test('an ID token of another key, audience, issuer or nonce is refused, and the refusal has no secret', async () => {
  const issuer = 'https://id.example.org'
  const get = await discovered(issuer)
  const other = await generateKeyPair('RS256')
  const { exportJWK } = await import('jose')
  const wrongKeys = {
    ...get,
    [`${issuer}/keys`]: { keys: [{ ...(await exportJWK(other.publicKey)), kid: 'k1', alg: 'RS256' }] },
  }
  const wrong: [JWTPayload, Record<string, unknown>][] = [
    [{ sub: '1' }, wrongKeys],
    [{ sub: '1', aud: 'another' }, get],
    [{ sub: '1', iss: 'https://evil.example' }, get],
    [{ sub: '1', nonce: 'another' }, get],
    [{ sub: '' }, get],
  ]
  for (const [claims, answers] of wrong) {
    await assert.rejects(signIn('company', openid(issuer, claims, answers), { issuer }), (error) => {
      assert.ok(error instanceof ProviderRefusal)
      assert.equal(error.error, 'server_error')
      assert.equal(JSON.stringify([error.message, error.reason, error.cause ?? null]).includes('client secret'), false)
      return true
    })
  }
})
