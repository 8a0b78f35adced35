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

test('another address, and another login, are not touched', () => {
  const { attempts } = open()
  for (let count = 0; count < 5; count++) attempts.begin('ann', '192.0.2.1')
  assert.throws(() => attempts.begin('ann', '192.0.2.1'), tooMany)
  attempts.begin('ann', '192.0.2.2')
  attempts.begin('bob', '192.0.2.1')
})

test('an address that tries many logins is slowed as a whole, and recovers', () => {
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

test('many at once gain nothing: an attempt counts when it begins', () => {
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

test('success clears the count; what was not tried does not add to it, nor take from it', () => {
  const { attempts } = open()
  for (let count = 0; count < 4; count++) attempts.begin('ann', '192.0.2.1')
  for (let count = 0; count < 10; count++) attempts.begin('bob', '192.0.2.1').cancel()
  attempts.begin('ann', '192.0.2.1').cancel()
  attempts.begin('bob', '192.0.2.1').succeeded()
  attempts.begin('bob', '192.0.2.1')
})

test('taking back does not open a way around the wait', () => {
  const { attempts } = open()
  for (let count = 0; count < 4; count++) attempts.begin('ann', '192.0.2.1')
  attempts.begin('ann', '192.0.2.1').cancel()
  assert.throws(() => attempts.begin('ann', '192.0.2.1'), tooMany)
})

test('after an hour it is forgotten', () => {
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
