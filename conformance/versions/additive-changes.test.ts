// Random pairs of schemas that `compareModels` regards as additive, with every request sent under both. `npm run soak --
// additive-changes` runs more of them.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { propertySeed } from '../generate/seed.ts'
import { runAdditiveChanges } from './run-additive-changes.ts'

const runs = Number(process.env.TWAIN_ADDITIVE_RUNS ?? 8)

test('every request that succeeded also succeeds after an additive change, with the same answer for the old fields', {
  timeout: runs * 30_000,
}, async (t) => {
  const { requests: sent, outcomes: classified } = await runAdditiveChanges(runs, propertySeed)
  t.diagnostic(`${sent} requests under both schemas: ${JSON.stringify(classified)}`)
  assert.ok(classified.additive > 0, `only ${classified.additive} of ${runs}`)
})
