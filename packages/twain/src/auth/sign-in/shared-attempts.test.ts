// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import { goodPassword, openAuth } from '../auth.fixture.ts'

const refused = { code: 'UNAUTHENTICATED' }
const tooMany = { code: 'TOO_MANY_REQUESTS' }

test('failures count on all nodes, by /24 and by /64', async (t) => {
  const { signUp, signIn, anotherNode } = await openAuth(t)
  await signUp('ann@example.org')
  const other = await anotherNode()
  const guess = (at: typeof signIn, address: string) => at('ann@example.org', 'wrong horse', address)
  for (let count = 0; count < 5; count++) await assert.rejects(guess(signIn, `198.51.100.${count}`), refused)
  await assert.rejects(guess(other.signIn, '198.51.100.200'), { ...tooMany, headers: { 'retry-after': '1' } })
  await assert.rejects(guess(other.signIn, '198.51.101.1'), refused)
  for (let count = 0; count < 5; count++) await assert.rejects(guess(signIn, `2001:db8::${count}`), refused)
  await assert.rejects(guess(other.signIn, '2001:db8::ffff'), tooMany)
})

test('failures that a clock days ahead has counted lock nobody when the clock is right', async (t) => {
  const { signUp, signIn, anotherNode, time } = await openAuth(t, { networkFailures: 10 })
  await signUp('ann@example.org')
  const guess = (at: typeof signIn) => at('ann@example.org', 'wrong horse', '198.51.100.1')
  time.now += 9 * 86_400_000
  for (let count = 0; count < 5; count++) await assert.rejects(guess(signIn), refused)
  await assert.rejects(guess(signIn), tooMany)
  time.now -= 9 * 86_400_000
  const right = await anotherNode()
  for (let count = 0; count < 5; count++) await assert.rejects(guess(right.signIn), refused)
  await assert.rejects(guess(right.signIn), { ...tooMany, headers: { 'retry-after': '1' } })
})

test('failures of many networks slow down strangers, and no device that has signed in before', async (t) => {
  const { signUp, signIn, tokens, time } = await openAuth(t)
  await signUp('ann@example.org')
  await signUp('bob@example.org')
  const { device } = await signIn('ann@example.org')
  const { device: bobs } = await signIn('bob@example.org')
  for (let count = 0; count < 20; count++) {
    await assert.rejects(signIn('ann@example.org', 'wrong horse', `198.51.${count}.1`), refused)
  }
  const stranger = (more: object) =>
    tokens.signIn({ email: 'ann@example.org', password: goodPassword, ...more }, '203.0.113.9')
  await assert.rejects(stranger({}), tooMany)
  await assert.rejects(stranger({ device: bobs }), tooMany)
  await assert.rejects(stranger({ device: `${device}x` }), tooMany)
  const again = await stranger({ device })
  assert.equal(again.device, device)
  // Other accounts are not affected, and the pause ends.
  await signIn('bob@example.org', goodPassword, '203.0.113.9')
  time.now += 1001
  await stranger({})
})

test('a device that was stolen has a few guesses of its own', async (t) => {
  const { signUp, signIn, tokens } = await openAuth(t)
  await signUp('ann@example.org')
  const { device } = await signIn('ann@example.org')
  const guess = (n: number) =>
    tokens.signIn({ email: 'ann@example.org', password: 'wrong horse', device }, `198.51.${n}.1`)
  for (let count = 0; count < 5; count++) await assert.rejects(guess(count), refused)
  await assert.rejects(guess(9), tooMany)
  await signIn('ann@example.org')
})

test('a network that fails with many logins is slowed down as a whole', async (t) => {
  const { signIn, time } = await openAuth(t, { networkFailures: 10 })
  const guess = (n: number) => signIn(`user${n}@example.org`, 'wrong horse', `198.51.100.${n}`)
  for (let count = 0; count < 10; count++) await assert.rejects(guess(count), refused)
  await assert.rejects(guess(11), { ...tooMany, headers: { 'retry-after': '360' } })
  await assert.rejects(signIn('user@example.org', 'wrong horse', '198.51.101.1'), refused)
  time.now += 360_001
  await assert.rejects(guess(12), refused)
})

test('a sign-in that succeeds writes nothing, unless there is a count to clear', async (t) => {
  const { signUp, signIn, attempts, writes } = await openAuth(t)
  await signUp('ann@example.org')
  await signIn('ann@example.org')
  assert.deepEqual(writes, [])
  await assert.rejects(signIn('ann@example.org', 'wrong horse'), refused)
  await signIn('ann@example.org')
  await signIn('ann@example.org')
  assert.deepEqual(writes, ['fail', 'forget'])
  assert.ok(attempts)
})

test('counts end after an hour, and their rows go', async (t) => {
  const { signUp, signIn, attempts, time } = await openAuth(t)
  await signUp('ann@example.org')
  for (let count = 0; count < 5; count++) await assert.rejects(signIn('ann@example.org', 'wrong horse'), refused)
  await attempts.fail([{ key: 'old', refillMs: 0 }], time.now)
  time.now += 3_600_001
  await signIn('ann@example.org')
  await assert.rejects(signIn('bob@example.org', 'wrong horse'), refused)
  assert.equal((await attempts.read(['old'], time.now - 3_600_001)).size, 0)
})

test('custom code sees earlier failures and the captcha, and may refuse an attempt before anything is checked', async (t) => {
  const seen: unknown[] = []
  const { signUp, signIn, tokens, writes } = await openAuth(
    t,
    {},
    {
      async checkAttempt({ kind, login, failures, captcha }) {
        seen.push([kind, login, failures, captcha])
        if (failures > 0 && captcha !== 'a boat') throw new ApiError('FORBIDDEN', 'What floats?')
      },
    },
  )
  await signUp('ann@example.org')
  await assert.rejects(signIn('Ann@example.org', 'wrong horse'), refused)
  for (let count = 0; count < 9; count++) await assert.rejects(signIn('ann@example.org'), { code: 'FORBIDDEN' })
  const input = { email: 'ann@example.org', password: goodPassword, captcha: 'a boat' }
  await tokens.signIn(input, '192.0.2.1')
  assert.deepEqual(
    [seen[0], seen[1], seen.at(-1)],
    [
      ['signIn', 'ann@example.org', 0, null],
      ['signIn', 'ann@example.org', 1, null],
      ['signIn', 'ann@example.org', 1, 'a boat'],
    ],
  )
  assert.deepEqual(writes, ['fail', 'forget'], 'a refused attempt is no failure')
})

test('sign-ups of a network are counted', async (t) => {
  const { tokens } = await openAuth(t, { networkSignUps: 2 })
  const signUp = { login: 'ann@example.org', captcha: null }
  for (const last of [1, 2]) await tokens.admitSignUp(signUp, `198.51.100.${last}`)
  await assert.rejects(tokens.admitSignUp(signUp, '198.51.100.3'), tooMany)
  await tokens.admitSignUp(signUp, '198.51.101.1')
})

test('a burst of sign-ups does not pass while custom code looks at the first, and refused ones count', async (t) => {
  const gate = Promise.withResolvers<void>()
  let asked = 0
  const { tokens } = await openAuth(
    t,
    { networkSignUps: 3 },
    {
      async checkAttempt() {
        asked++
        await gate.promise
        throw new ApiError('FORBIDDEN', 'What floats?')
      },
    },
  )
  const burst = Array.from({ length: 20 }, (_, last) =>
    tokens
      .admitSignUp({ login: `user${last}@example.org`, captcha: null }, `198.51.100.${last}`)
      .catch(({ code }) => code),
  )
  // Those beyond the limit are refused while the others wait for custom code.
  await Promise.all(burst.slice(3))
  assert.equal(asked, 3)
  gate.resolve()
  const codes = await Promise.all(burst)
  assert.deepEqual(codes, [...Array(3).fill('FORBIDDEN'), ...Array(17).fill('TOO_MANY_REQUESTS')])
  await assert.rejects(tokens.admitSignUp({ login: 'late@example.org', captcha: null }, '198.51.100.3'), tooMany)
})
