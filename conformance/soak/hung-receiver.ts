// `npm run soak -- hung-receiver=500,5`: how much a webhook receiver that hangs slows the others, with so many events and rounds.
// stores: sqlite

import { runHungReceiver } from '../faults/run-hung-receiver.ts'

const [events = 500, rounds = 5] = process.argv.slice(2).map(Number)
const { alone, beside, ratio, hung } = await runHungReceiver(events, rounds)
console.log(
  `${events} events to a good receiver: ${Math.round(alone)} ms alone, ${Math.round(beside)} ms beside one that hangs ` +
    `(which took ${hung}): ${ratio.toFixed(2)} ×.`,
)
if (ratio > 2) process.exitCode = 1
