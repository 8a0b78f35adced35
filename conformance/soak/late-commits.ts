// `npm run soak -- late-commits=20000`: faults/late-commits.test.ts with so many commits, 100,000 unless you name another number.
// stores: postgres

import { runLateCommits } from '../faults/run-late-commits.ts'

const report = await runLateCommits(Number(process.argv[2] ?? 100_000), (line) => process.stdout.write(`\r${line}`))
const { commits, seconds, naiveMissed, resumes, delays } = report
console.log(`\r${commits} commits in ${seconds.toFixed()} s: each reader got all of them, once and in order.`)
console.log(`Readers resumed ${resumes} times. A reader that goes by sequence numbers missed ${naiveMissed}.`)
console.log(
  `Answered on one node, read on another: half within ${delays.half} ms, 99 % within ${delays.most} ms (of ${delays.samples}).`,
)
