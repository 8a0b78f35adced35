import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import { RateLimit } from './rate-limit.ts'

test('a client gets its quota at once, regains it over a minute, and sees the rest in RateLimit', () => {
  const { limit, pass } = watched(60)
  assert.equal(limit.policy, '"default";q=60;w=60')
  assert.equal(limit.take('a'), '"default";r=59;t=1')
  for (let n = 0; n < 58; n++) limit.take('a')
  assert.equal(limit.take('a'), '"default";r=0;t=60')

  const refused = refusalOf(() => limit.take('a'))
  assert.equal(refused.code, 'TOO_MANY_REQUESTS')
  assert.deepEqual(refused.headers, {
    'retry-after': '1',
    ratelimit: '"default";r=0;t=60',
    'ratelimit-policy': '"default";q=60;w=60',
  })
  assert.equal(limit.take('b'), '"default";r=59;t=1', 'each client has its own quota')

  pass(1000)
  assert.equal(limit.take('a'), '"default";r=0;t=60')
  refusalOf(() => limit.take('a'))
  pass(60_000)
  assert.equal(limit.take('a'), '"default";r=59;t=1')
})

test('the requests of a batch are counted one by one, or the whole batch is refused', () => {
  const { limit } = watched(10)
  assert.equal(limit.take('a', 7), '"default";r=3;t=42')
  refusalOf(() => limit.take('a', 4))
  assert.equal(limit.take('a', 3), '"default";r=0;t=60')
})

test('more operations than the quota of a minute are a 400 without Retry-After', () => {
  const { limit } = watched(10)
  limit.take('a')
  assert.throws(
    () => limit.takeMore('a', 10),
    (error) =>
      error instanceof ApiError &&
      error.code === 'BAD_REQUEST' &&
      /contains 11 operations; the rate limit is 10 per minute/.test(error.message) &&
      error.headers['retry-after'] === undefined,
  )
  assert.equal(limit.takeMore('a', 9), '"default";r=0;t=60')
})

test('a steady client within the quota is never refused; at twice the rate half of its requests are', () => {
  const steady = watched(600)
  for (let n = 0; n < 5000; n++, steady.pass(100)) steady.limit.take('a')

  const hasty = watched(600)
  let taken = 0
  for (let n = 0; n < 12_000; n++, hasty.pass(50)) {
    try {
      hasty.limit.take('a')
      taken++
    } catch {}
  }
  assert.ok(Math.abs(taken - 6600) <= 1, `${taken} in ten minutes: the quota of ten, and one at the start`)
})

test('the number of counted clients is bounded, and clients without a request for two minutes are dropped', () => {
  const { limit, pass } = watched(600, 1000)
  for (let n = 0; n < 100_000; n++) limit.take(`10.${n}`)
  assert.ok(limit.size <= 2000)
  for (let turn = 0; turn < 2; turn++) {
    pass(60_001)
    limit.take('a')
  }
  assert.ok(limit.size <= 2, String(limit.size))
})

function watched(perMinute: number, mostKeys?: number) {
  let now = 1_000_000
  const limit = new RateLimit(perMinute, () => now, mostKeys)
  return { limit, pass: (milliseconds: number) => (now += milliseconds) }
}

function refusalOf(action: () => unknown): ApiError {
  try {
    action()
  } catch (error) {
    assert.ok(error instanceof ApiError)
    return error
  }
  return assert.fail('it was not refused')
}
