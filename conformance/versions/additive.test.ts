// Pairs of contracts that are judged to break nobody, with every request asked under both. A few here; as many as you like by
// `npm run additive -w @twain/conformance` (TWAIN_PROPERTY_SEED).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Draw } from '../draw.ts'
import { propertySeed } from '../seed.ts'
import { additivePair } from './additive.ts'

const runs = Number(process.env.TWAIN_ADDITIVE_RUNS ?? 8)

test('every request that succeeded succeeds after an additive change, with the same answer in what was there', {
  timeout: runs * 30_000,
}, async (t) => {
  const judged = { additive: 0, breaking: 0, mistaken: 0 }
  let asked = 0
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (value) => {
      const outcome = await additivePair(new Draw(value))
      judged[outcome.judged]++
      asked += outcome.asked
    }),
    { numRuns: runs, endOnFailure: true, seed: propertySeed },
  )
  t.diagnostic(`${asked} requests asked under both: ${JSON.stringify(judged)}`)
  assert.ok(judged.additive > 0, `only ${judged.additive} of ${runs}`)
})
