import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UsedCredential } from '#store'
import { openAuth } from '../auth.fixture.ts'
import { authMistakes, defaultAuthSettings } from '../settings.ts'
import { makeKey } from '../tokens/api-keys.ts'

const dayMs = 24 * 60 * 60_000
const email = 'ann@example.org'

test('the use of a session or an API key is noted to the minute, and saved for all sessions and for all keys at once', async (t) => {
  const { auth, credentials, signUp, signIn, viewerOf, time } = await openAuth(t)
  await signUp(email)
  const [first, second] = [await signIn(email), await signIn(email)]
  const key = await makeKey(credentials, { name: null, roles: [] }, time.now)
  const saved: [UsedCredential, string[], number][] = []
  const record = credentials.recordUses.bind(credentials)
  t.mock.method(credentials, 'recordUses', (of: UsedCredential, ids: string[], at: number) => {
    saved.push([of, ids.toSorted(), at])
    return record(of, ids, at)
  })
  time.now = Math.ceil(time.now / 60_000) * 60_000 + 30_000
  for (let use = 0; use < 20; use++) {
    time.now += 1001 // a viewer is cached for a second
    await viewerOf(first.token)
    await viewerOf(second.token)
    await viewerOf(key.key)
  }
  assert.deepEqual(saved, [])
  await auth.upkeep.save()
  const minute = time.now - (time.now % 60_000)
  assert.deepEqual(saved, [
    ['token', [first.id, second.id].toSorted(), minute],
    ['key', [key.id], minute],
  ])
  await auth.upkeep.save()
  assert.equal(saved.length, 2)
})

test('uses that could not be saved are saved later', async (t) => {
  const { auth, credentials, warnings, signUp, signIn, viewerOf, time } = await openAuth(t)
  await signUp(email)
  const { id, token } = await signIn(email)
  const key = await makeKey(credentials, { name: null, roles: [] }, time.now)
  await viewerOf(token)
  await viewerOf(key.key)
  const save = t.mock.method(credentials, 'recordUses', () => Promise.reject(new Error('no database')))
  await auth.upkeep.save()
  assert.equal(warnings.length, 2)
  save.mock.restore()
  const again = t.mock.method(credentials, 'recordUses')
  await auth.upkeep.save()
  const minute = time.now - (time.now % 60_000)
  assert.deepEqual(
    again.mock.calls.map((call) => call.arguments),
    [
      ['token', [id], minute],
      ['key', [key.id], minute],
    ],
  )
})

test('a session ends after sessionIdleDays without use, and after sessionMaxDays in any case', async (t) => {
  const { tokens, signUp, signIn, viewerOf, time } = await openAuth(t, { sessionIdleDays: 2, sessionMaxDays: 5 })
  await signUp(email)
  const renew = (refreshToken: string) => tokens.signIn({ refreshToken }, '192.0.2.1')
  const idle = await signIn(email)
  let used = await signIn(email)
  time.now += 1.5 * dayMs
  used = await renew(used.refreshToken)
  time.now += dayMs
  await assert.rejects(renew(idle.refreshToken), { code: 'UNAUTHENTICATED' })
  for (const days of [0.5, 1.5]) {
    time.now += days * dayMs
    used = await renew(used.refreshToken)
  }
  time.now += dayMs / 2 - 60_000
  const last = await renew(used.refreshToken)
  assert.equal((await viewerOf(last.token)).token, last.id)
  assert.ok(Date.parse(last.expiresAt) - time.now <= 60_000)
  time.now += 60_000
  await assert.rejects(renew(last.refreshToken), { code: 'UNAUTHENTICATED' })
  await assert.rejects(viewerOf(last.token), { code: 'UNAUTHENTICATED' })
})

test('shorter times count for the sessions that there are', async (t) => {
  const { credentials, signUp, signIn, tokens, time } = await openAuth(t, { sessionIdleDays: 1 })
  await signUp(email)
  const { id, refreshToken } = await signIn(email)
  // As a build with longer times has written it.
  await credentials.renewToken(id, 1, time.now, time.now + 30 * dayMs)
  time.now += 2 * dayMs
  await assert.rejects(tokens.signIn({ refreshToken }, '192.0.2.1'), { code: 'UNAUTHENTICATED' })
})

test('expired sessions are deleted a day later', async (t) => {
  const { auth, credentials, signUp, signIn, time } = await openAuth(t, { sessionIdleDays: 1 })
  await signUp(email)
  const [old, ended] = [await signIn(email), await signIn(email)]
  await credentials.revokeToken(ended.id, time.now)
  time.now += 1.9 * dayMs
  await auth.upkeep.deleteExpired()
  assert.notEqual(await credentials.findToken(old.id), null)
  time.now += 0.2 * dayMs
  await auth.upkeep.deleteExpired()
  assert.deepEqual([await credentials.findToken(old.id), await credentials.findToken(ended.id)], [null, null])
})

test('the time without use is set once', () => {
  assert.deepEqual(authMistakes({ ...defaultAuthSettings, sessionIdleDays: 7, sessionMaxDays: 90 }), [])
  assert.match(authMistakes({ ...defaultAuthSettings, sessionIdleDays: 7, refreshTokenSeconds: 60 })[0]!, /leave one/)
})
