// `npm run hung --workspace=@twain/conformance [-- 500 5]`: what a receiver of webhooks that hangs costs the others.

import { runHungReceiver } from '../faults/run-hung-receiver.ts'

const [events = 500, rounds = 5] = process.argv.slice(2).map(Number)
const { alone, beside, ratio, hung } = await runHungReceiver(events, rounds)
console.log(
  `${events} events to a good receiver: ${Math.round(alone)} ms alone, ${Math.round(beside)} ms beside one that hangs ` +
    `(which took ${hung}): ${ratio.toFixed(2)} ×.`,
)
if (ratio > 2) process.exitCode = 1
