// `npm run retries --workspace=@twain/conformance [-- postgres://…]`: the long version of faults/retries.test.ts, 1,000 keys over 20
// kills and 1,000 races of 50 clients.

import { runRaces, runRetries } from '../faults/run-retries.ts'

const database = process.argv[2]
const { sent, replayed, lost } = await runRetries({ keys: 1000, kills: 20, database })
console.log(`1,000 keys, 20 kills: ${sent} requests, ${lost} without an answer, ${replayed} replays, 1,000 effects.`)
const refused = await runRaces({ clients: 50, rounds: 1000, database })
console.log(`1,000 rounds of 50 clients: one winner each, ${refused} refused with 412.`)
