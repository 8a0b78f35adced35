// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anonymous } from '#base/http'
import { goodPassword, openAuth } from './auth.fixture.ts'
import { makeKey } from './tokens/api-keys.ts'

const refused = { code: 'UNAUTHENTICATED', headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }

test('without a header the viewer is anonymous; an invalid header is refused', async (t) => {
  const { auth } = await openAuth(t)
  const viewer = await auth.viewerOf({ headers: {} })
  assert.deepEqual(viewer, { ...anonymous, via: '(unknown)' })
  assert.equal(await auth.viewerOf({ headers: {} }), viewer) // one object for each client, for which plans are cached
  assert.notEqual(await auth.viewerOf({ headers: { 'user-agent': 'curl/8' } }), viewer)
  const bad = ['Bearer', 'Bearer ', 'Bearer a b', 'Bearer twk_nothing', 'Bearer a.b.c', 'Bearer .. ', 'Bearer a=']
  for (const authorization of bad) {
    await assert.rejects(async () => auth.viewerOf({ headers: { authorization } }), refused)
  }
  for (const authorization of ['', 'Basic YTpi', 'x', 'Bearera.b.c', 'Bearer\ta.b.c']) {
    const error = { code: 'UNAUTHENTICATED', message: /does not start with "Bearer "/ }
    await assert.rejects(async () => auth.viewerOf({ headers: { authorization } }), error)
  }
})

test('one token is one entry of the cache: another spelling is refused or shares it', async (t) => {
  const { auth, signUp, signIn } = await openAuth(t)
  await signUp('ann@example.org', goodPassword)
  const { token } = await signIn('ann@example.org')
  const viewer = (authorization: string) => auth.viewerOf({ headers: { authorization } })
  const first = await viewer(`Bearer ${token}`)
  assert.equal(await viewer(`bearer ${token}`), first) // the same object
  for (const spelling of [`Bearer  ${token}`, `Bearer ${token}=`, `Bearer ${token} `]) {
    await assert.rejects(async () => viewer(spelling), refused)
  }
})

test('roles are current within a second', async (t) => {
  const { signUp, signIn, viewerOf, setRoles, time } = await openAuth(t)
  const account = await signUp('ann@example.org', goodPassword, ['editor'])
  const { token } = await signIn('ann@example.org')
  assert.deepEqual((await viewerOf(token)).roles, ['editor'])
  await setRoles(account, ['editor', 'admin'])
  time.now += 1000
  assert.deepEqual((await viewerOf(token)).roles, ['editor', 'admin'])
})

test('within a second the viewer comes from the cache', async (t) => {
  const { signUp, signIn, viewerOf, time } = await openAuth(t)
  await signUp('ann@example.org')
  const { token } = await signIn('ann@example.org')
  const first = await viewerOf(token)
  time.now += 999
  assert.equal(await viewerOf(token), first)
  time.now += 1
  assert.notEqual(await viewerOf(token), first)
})

test('a token of a deleted account is refused', async (t) => {
  const { signUp, signIn, viewerOf, remove, time } = await openAuth(t)
  const account = await signUp('ann@example.org')
  const { token, refreshToken } = await signIn('ann@example.org')
  await viewerOf(token)
  await remove(account)
  time.now += 1000
  await assert.rejects(viewerOf(token), refused)
  await assert.rejects(viewerOf(refreshToken), refused)
})

test('an operator token has roles and no account, until its signing key is deleted', async (t) => {
  const { signedTokens, keys, viewerOf, time } = await openAuth(t)
  const token = await signedTokens.signOperator('op1', ['admin'], time.now + 3_600_000)
  const operator = {
    account: null,
    roles: ['admin'],
    authenticated: true,
    token: 'op1',
    by: 'operator:op1',
    via: '(unknown)',
  }
  assert.deepEqual(await viewerOf(token), operator)
  await keys.rotate(false)
  time.now += 1000
  assert.deepEqual(await viewerOf(token), operator)
  await keys.rotate(true)
  time.now += 1000
  await assert.rejects(viewerOf(token), refused)
})

test('an API key has its roles until it is revoked, and the store has only its hash', async (t) => {
  const { credentials, viewerOf, time } = await openAuth(t)
  const { id, key } = await makeKey(credentials, { name: 'import', roles: ['importer'] }, time.now)
  const importer = { account: null, roles: ['importer'], authenticated: true, token: id, via: '(unknown)' }
  assert.deepEqual(await viewerOf(key), importer)
  assert.doesNotMatch(JSON.stringify(await credentials.keys()), new RegExp(key))
  await assert.rejects(viewerOf(`${key.slice(0, -1)}~`), refused)
  assert.equal(await credentials.revokeKey(id, time.now), true)
  time.now += 1000
  await assert.rejects(viewerOf(key), refused)
  assert.equal(await credentials.revokeKey(id, time.now), false)
})
