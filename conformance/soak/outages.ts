// `npm run soak -- outages=200`: faults/outages.test.ts with so many outages, 67 unless you name another number (50 of them restarts
// and crashes).
// stores: postgres

import { runOutages } from '../faults/run-outages.ts'

const report = await runOutages(Number(process.argv[2] ?? 67), { report: console.log })
console.log(
  `${report.outages} outages: ${report.acknowledged} acknowledged writes, none lost; ${report.refused} refused, none made; ` +
    `${report.unknownOutcomes} reported as unknown; ${report.read} reads. Back at most ${Math.round(report.maxRecoveryTime)} ms after the ` +
    `database, no request longer than ${Math.round(report.maxRequestTime)} ms, at most ${report.connections} connections.`,
)
