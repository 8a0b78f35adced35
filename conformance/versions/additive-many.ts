// Many pairs of contracts, drawn anew each time: `npm run additive -w @twain/conformance -- 200`. On PostgreSQL with
// TWAIN_TEST_STORE=postgres and TWAIN_TEST_POSTGRES=postgres://…; TWAIN_PROPERTY_SEED repeats what a failure told.

import fc from 'fast-check'
import { Draw } from '../draw.ts'
import { additivePair } from './additive.ts'

const runs = Number(process.argv[2] ?? 100)
const seed = Number(process.env.TWAIN_PROPERTY_SEED ?? Date.now() % 1_000_000)
const judged = { additive: 0, breaking: 0, mistaken: 0 }
let asked = 0
await fc.assert(
  fc.asyncProperty(fc.gen(), async (value) => {
    const outcome = await additivePair(new Draw(value))
    judged[outcome.judged]++
    asked += outcome.asked
  }),
  { numRuns: runs, endOnFailure: true, seed },
)
console.log(
  `${asked} requests asked under both contracts, with the same answers: ${JSON.stringify(judged)}, seed ${seed}`,
)
