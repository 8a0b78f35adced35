// stores: sqlite

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKills } from './run-kills.ts'

test('ten kills during writes lose nothing that was acknowledged', { timeout: 200_000 }, async () => {
  const { kills, acknowledged } = await runKills(10)
  assert.equal(kills, 10)
  assert.ok(acknowledged > 100, `${acknowledged} writes were acknowledged: too few to show anything`)
})
