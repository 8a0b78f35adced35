// `npm run soak -- retries`: faults/retries.test.ts with 1,000 idempotency keys over 20 kills, and 1,000 races of 50 clients.
// stores: sqlite, postgres

import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { runRaces, runRetries } from '../faults/run-retries.ts'

const database = testedStore === 'postgres' ? await makeTestDatabase() : null
try {
  const { sent, replayed, lost } = await runRetries({ keys: 1000, kills: 20, database: database?.address })
  console.log(`1,000 keys, 20 kills: ${sent} requests, ${lost} without an answer, ${replayed} replays, 1,000 effects.`)
  const refused = await runRaces({ clients: 50, rounds: 1000, database: database?.address })
  console.log(`1,000 rounds of 50 clients: one winner each, ${refused} refused with 412.`)
} finally {
  await database?.drop()
}
