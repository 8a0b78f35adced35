import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryDelayMs } from '#jobs'
import { backoffMs, defaultWebhookSettings as settings } from './settings.ts'

test('the first retry comes within ten seconds, delays double up to six hours, and about twenty retries fill three days', () => {
  const middle = (attempts: number) => retryDelayMs(attempts, settings, 0.5) / 1000
  assert.deepEqual([1, 2, 3, 13, 14, 30].map(middle), [5, 10, 20, 20_480, 21_600, 21_600])
  assert.deepEqual([retryDelayMs(1, settings, 0), retryDelayMs(1, settings, 1)], [3750, 6250])
  let attempts = 0
  for (let time = 0; time < settings.retryWindowSeconds; ) time += middle(++attempts)
  assert.ok(attempts >= 20 && attempts <= 26, String(attempts))
})

test('a receiver that keeps failing gets no attempts for up to ten minutes', () => {
  assert.equal(backoffMs(7, settings), 0)
  assert.ok(backoffMs(8, settings) >= 3750)
  assert.ok(backoffMs(100, settings) <= 750_000)
})
