// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiError } from '#base'
import { goodPassword, openAuth } from '../auth.fixture.ts'

const refused = { code: 'UNAUTHENTICATED' }

test('a sign-in returns a token that authenticates until it expires', async (t) => {
  const { signUp, signIn, viewerOf, time } = await openAuth(t)
  const account = await signUp('ann@example.org', goodPassword, ['editor'])
  const { id, token, expiresAt } = await signIn('ann@example.org')
  const signedInAt = Math.floor(time.now / 1000) * 1000
  const viewer = {
    account,
    roles: ['editor'],
    authenticated: true,
    token: id,
    signedInAt,
    via: '(unknown)',
    verified: false,
  }
  assert.deepEqual(await viewerOf(token), viewer)
  assert.ok(Math.abs(Date.parse(expiresAt) - time.now - 900_000) < 1000)
  time.now += 901_000
  await assert.rejects(viewerOf(token), refused)
})

test('logins that look the same are the same', async (t) => {
  const { signUp, signIn } = await openAuth(t)
  await signUp('Ann@Example.org')
  for (const twin of ['ann@example.org', 'ANN@EXAMPLE.ORG', 'ａｎｎ@example.org']) await signIn(twin)
  await assert.rejects(signUp('ａnn@example.org'), { code: 'CONFLICT' })
})

test('an unknown login and a wrong password get the same response', async (t) => {
  const { signUp, signIn } = await openAuth(t)
  await signUp('ann@example.org')
  const answerTo = async (email: string) => {
    const error = await signIn(email, 'wrong horse').then(
      () => null,
      (error: unknown) => error as ApiError,
    )
    const { code, message, headers, hint, problems } = error!
    return { code, message, headers, hint, problems }
  }
  const known = await answerTo('ann@example.org')
  assert.deepEqual(await answerTo('bob@example.org'), known)
  assert.equal(known.code, 'UNAUTHENTICATED')
  assert.equal(known.headers['www-authenticate'], 'Bearer')
})

test('guessing slows down the guessing address, and no other', async (t) => {
  const { signUp, signIn, time } = await openAuth(t)
  await signUp('ann@example.org')
  const guess = () => signIn('ann@example.org', 'wrong horse', '198.51.100.7')
  for (let count = 0; count < 5; count++) await assert.rejects(guess(), refused)
  await assert.rejects(guess(), { code: 'TOO_MANY_REQUESTS', headers: { 'retry-after': '1' } })
  await assert.rejects(signIn('ann@example.org', goodPassword, '198.51.100.7'), { code: 'TOO_MANY_REQUESTS' })
  await signIn('ann@example.org', goodPassword, '192.0.2.1')
  time.now += 1001
  await signIn('ann@example.org', goodPassword, '198.51.100.7')
})

test('each use of a refresh token returns a new one for the same session', async (t) => {
  const { signUp, signIn, tokens, viewerOf } = await openAuth(t)
  const account = await signUp('ann@example.org')
  const first = await signIn('ann@example.org')
  const second = await tokens.signIn({ refreshToken: first.refreshToken }, '')
  const third = await tokens.signIn({ refreshToken: second.refreshToken }, '')
  assert.equal(third.id, first.id)
  assert.equal(new Set([first, second, third].map(({ refreshToken }) => refreshToken)).size, 3)
  assert.equal((await viewerOf(third.token)).account, account)
})

test('for 30 s a used refresh token returns the same successor again, also in parallel', async (t) => {
  const { signUp, signIn, tokens, time } = await openAuth(t)
  await signUp('ann@example.org')
  const { refreshToken } = await signIn('ann@example.org')
  const together = await Promise.all([1, 2, 3].map(() => tokens.signIn({ refreshToken }, '')))
  time.now += 29_000
  const late = await tokens.signIn({ refreshToken }, '')
  assert.equal(new Set([...together, late].map((answer) => answer.refreshToken)).size, 1)
  await tokens.signIn({ refreshToken: late.refreshToken }, '')
})

test('after 30 s, or once its successor was used, a used refresh token ends the session', async (t) => {
  const { signUp, signIn, tokens, time, viewerOf, warnings } = await openAuth(t)
  await signUp('ann@example.org')
  const renew = (refreshToken: string) => tokens.signIn({ refreshToken }, '')

  const first = await signIn('ann@example.org')
  const second = await renew(first.refreshToken)
  time.now += 31_000
  await assert.rejects(renew(first.refreshToken), refused)
  await assert.rejects(renew(second.refreshToken), refused)
  await assert.rejects(viewerOf(second.token), refused)

  const other = await signIn('ann@example.org')
  const next = await renew(other.refreshToken)
  const last = await renew(next.refreshToken)
  await assert.rejects(renew(other.refreshToken), refused)
  await assert.rejects(renew(last.refreshToken), refused)
  assert.equal(warnings.length, 2)
})

test('an unused refresh token expires', async (t) => {
  const { signUp, signIn, tokens, time } = await openAuth(t)
  await signUp('ann@example.org')
  const { refreshToken } = await signIn('ann@example.org')
  time.now += 30 * 86_400_000
  await assert.rejects(tokens.signIn({ refreshToken }, ''), refused)
})

test('a session has the name of the client that signed in', async (t) => {
  const { signUp, tokens, credentials } = await openAuth(t)
  await signUp('ann@example.org')
  const input = { email: 'ann@example.org', password: goodPassword }
  const named = await tokens.signIn(input, '192.0.2.1', 'phone 1.2')
  const renewed = await tokens.signIn({ refreshToken: named.refreshToken }, '192.0.2.1', 'another one')
  const unnamed = await tokens.signIn(input, '192.0.2.1')
  assert.equal((await credentials.findToken(renewed.id))?.client, 'phone 1.2')
  assert.equal((await credentials.findToken(unnamed.id))?.client, null)
})

test('a change of password ends all other sessions, and the old password fails', async (t) => {
  const { signUp, signIn, setPassword, viewerOf, time } = await openAuth(t)
  const account = await signUp('ann@example.org')
  const [mine, other] = [await signIn('ann@example.org'), await signIn('ann@example.org')]
  await setPassword(account, 'another horse', await viewerOf(mine.token))
  time.now += 1000
  await viewerOf(mine.token)
  await assert.rejects(viewerOf(other.token), refused)
  await assert.rejects(signIn('ann@example.org'), refused)
  await signIn('ann@example.org', 'another horse')
})

test('sign-in fails if the password changes while it is checked', async (t) => {
  const { signUp, signIn, credentials, time } = await openAuth(t)
  const account = await signUp('ann@example.org')
  const { hash } = (await credentials.findLogin('ann@example.org'))!
  const token = {
    id: 'x',
    account,
    generation: 1,
    created: time.now,
    used: time.now,
    expires: time.now + 1000,
    client: null,
    how: 'PASSWORD' as const,
    address: '192.0.2.0/24',
  }
  assert.equal(await credentials.createToken(token, `${hash}x`), false)
  assert.equal(await credentials.createToken(token, hash!), true)
  await signIn('ann@example.org')
})
