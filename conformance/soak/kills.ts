// `npm run kills --workspace=@twain/conformance [-- 500]`: the long version of faults/kills.test.ts, 100 kills unless said.

import { runKills } from '../faults/run-kills.ts'

const kills = Number(process.argv[2] ?? 100)
const { acknowledged, underWay } = await runKills(kills, console.log)
console.log(
  `${kills} kills: ${acknowledged} acknowledged writes, none lost; ${underWay} were under way; integrity_check ok.`,
)
