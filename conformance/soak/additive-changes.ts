// `npm run soak -- additive-changes=200`: versions/additive-changes.test.ts with so many pairs of schemas, 100 unless you name
// another number, drawn anew each time. TWAIN_PROPERTY_SEED repeats the seed that a failure prints.
// stores: sqlite, postgres

import { runAdditiveChanges } from '../versions/run-additive-changes.ts'

const seed = Number(process.env.TWAIN_PROPERTY_SEED ?? Date.now() % 1_000_000)
const { requests: sent, outcomes: classified } = await runAdditiveChanges(Number(process.argv[2] ?? 100), seed)
console.log(`${sent} requests under both schemas, with the same answers: ${JSON.stringify(classified)}, seed ${seed}`)
