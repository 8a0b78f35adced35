// Pairs of schemas that are judged to break nobody, with every request asked under both. A few here; as many as you like by
// `npm run soak -- additive-changes` (TWAIN_PROPERTY_SEED).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { propertySeed } from '../generate/seed.ts'
import { runAdditiveChanges } from './run-additive-changes.ts'

const runs = Number(process.env.TWAIN_ADDITIVE_RUNS ?? 8)

test('every request that succeeded succeeds after an additive change, with the same answer in what was there', {
  timeout: runs * 30_000,
}, async (t) => {
  const { asked, judged } = await runAdditiveChanges(runs, propertySeed)
  t.diagnostic(`${asked} requests asked under both: ${JSON.stringify(judged)}`)
  assert.ok(judged.additive > 0, `only ${judged.additive} of ${runs}`)
})
