// Many pairs of contracts, drawn anew each time: `npm run additive -w @twain/conformance -- 200`. On PostgreSQL with
// TWAIN_TEST_STORE=postgres and TWAIN_TEST_POSTGRES=postgres://…; TWAIN_PROPERTY_SEED repeats what a failure told.

import { additivePairs } from '../versions/run-additive-changes.ts'

const seed = Number(process.env.TWAIN_PROPERTY_SEED ?? Date.now() % 1_000_000)
const { asked, judged } = await additivePairs(Number(process.argv[2] ?? 100), seed)
console.log(
  `${asked} requests asked under both contracts, with the same answers: ${JSON.stringify(judged)}, seed ${seed}`,
)
