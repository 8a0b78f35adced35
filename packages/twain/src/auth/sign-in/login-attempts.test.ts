import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoginAttempts } from './login-attempts.ts'

const tooMany = { code: 'TOO_MANY_REQUESTS' }

test('five failures are free, then each doubles the wait, up to a quarter of an hour', () => {
  const { attempts, time } = open()
  for (let count = 0; count < 5; count++) attempts.begin('ann', '192.0.2.1')
  const waits: number[] = []
  for (let count = 0; count < 14; count++) {
    const wait = waitOf(() => attempts.begin('ann', '192.0.2.1'))
    waits.push(wait)
    time.now += wait * 1000
    attempts.begin('ann', '192.0.2.1')
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900])
})

test('in a session, failures count for the session alone', () => {
  const { attempts } = open()
  for (let count = 0; count < 5; count++) attempts.beginInSession('t1')
  assert.equal(
    waitOf(() => attempts.beginInSession('t1')),
    1,
  )
  attempts.beginInSession('t2')
  attempts.begin('ann', '192.0.2.1')
  for (let session = 0; session < 60; session++) attempts.beginInSession(`other${session}`).cancel()
})

test('other addresses and other logins are not affected', () => {
  const { attempts } = open()
  for (let count = 0; count < 5; count++) attempts.begin('ann', '192.0.2.1')
  assert.throws(() => attempts.begin('ann', '192.0.2.1'), tooMany)
  attempts.begin('ann', '192.0.2.2')
  attempts.begin('bob', '192.0.2.1')
})

test('an address that tries many logins is slowed down as a whole, and recovers', () => {
  const { attempts, time } = open()
  for (let login = 0; login < 50; login++) attempts.begin(`user${login}`, '192.0.2.1')
  assert.equal(
    waitOf(() => attempts.begin('other', '192.0.2.1')),
    10,
  )
  attempts.begin('other', '192.0.2.2')
  time.now += 10_000
  attempts.begin('other', '192.0.2.1')
  assert.throws(() => attempts.begin('another', '192.0.2.1'), tooMany)
})

test('parallel attempts gain nothing: an attempt counts from its start', () => {
  const { attempts } = open()
  const begun = Array.from({ length: 20 }, () => {
    try {
      return attempts.begin('ann', '192.0.2.1')
    } catch {
      return null
    }
  })
  assert.equal(begun.filter((attempt) => attempt !== null).length, 5)
})

test('success clears the count; a cancelled attempt does not change it', () => {
  const { attempts } = open()
  for (let count = 0; count < 4; count++) attempts.begin('ann', '192.0.2.1')
  for (let count = 0; count < 10; count++) attempts.begin('bob', '192.0.2.1').cancel()
  attempts.begin('ann', '192.0.2.1').cancel()
  attempts.begin('bob', '192.0.2.1').succeeded()
  attempts.begin('bob', '192.0.2.1')
})

test('cancelling does not shorten the wait', () => {
  const { attempts } = open()
  for (let count = 0; count < 4; count++) attempts.begin('ann', '192.0.2.1')
  attempts.begin('ann', '192.0.2.1').cancel()
  assert.throws(() => attempts.begin('ann', '192.0.2.1'), tooMany)
})

test('failures are forgotten after an hour', () => {
  const { attempts, time } = open()
  for (let count = 0; count < 5; count++) attempts.begin('ann', '192.0.2.1')
  time.now += 3_600_001
  for (let count = 0; count < 5; count++) attempts.begin('ann', '192.0.2.1')
})

function open() {
  const time = { now: 1_000_000 }
  return { attempts: new LoginAttempts(() => time.now), time }
}

/** Seconds, as Retry-After has them. */
function waitOf(begin: () => unknown): number {
  try {
    begin()
  } catch (error) {
    return Number((error as { headers: Record<string, string> }).headers['retry-after'])
  }
  return 0
}
