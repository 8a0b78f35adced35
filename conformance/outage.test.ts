import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runOutages } from './outage.ts'

test('20 restarts and 7 other outages under load: 503 or an answer, and what was told is so', {
  timeout: 180_000,
}, async () => {
  const { acknowledged, refused, notKnown, read, longestAway, connections } = await runOutages(27)
  assert.ok(acknowledged > 400 && refused > 100 && read > 400, `${acknowledged}, ${refused}, ${read}: too few`)
  assert.ok(notKnown < acknowledged / 20, `${notKnown} are not known`)
  assert.ok(longestAway <= 5000 && connections > 1)
})
