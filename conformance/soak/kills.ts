// `npm run soak -- kills=500`: faults/kills.test.ts with so many kills, 100 unless you name another number.
// stores: sqlite

import { runKills } from '../faults/run-kills.ts'

const kills = Number(process.argv[2] ?? 100)
const { acknowledged, underWay } = await runKills(kills, console.log)
console.log(
  `${kills} kills: ${acknowledged} acknowledged writes, none lost; ${underWay} were under way; integrity_check ok.`,
)
