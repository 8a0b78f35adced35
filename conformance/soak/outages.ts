// `npm run outages --workspace=@twain/conformance [-- 200]`: the long version of faults/outages.test.ts, 67 outages unless said (50 of
// them restarts and crashes).

import { runOutages } from '../faults/run-outages.ts'

const report = await runOutages(Number(process.argv[2] ?? 67), { tell: console.log })
console.log(
  `${report.outages} outages: ${report.acknowledged} acknowledged writes, none lost; ${report.refused} refused, none made; ` +
    `${report.notKnown} told as not known; ${report.read} reads. Back at most ${Math.round(report.longestAway)} ms after the ` +
    `database, no request longer than ${Math.round(report.longestRequest)} ms, at most ${report.connections} connections.`,
)
