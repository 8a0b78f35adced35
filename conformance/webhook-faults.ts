// `npm run webhooks --workspace=@twain/conformance [-- 10000 20]`: the long version of webhook-kills.test.ts.

import { runWebhookKills } from './webhook-kills.ts'

const [events = 10_000, kills = 20] = process.argv.slice(2).map(Number)
const began = performance.now()
const { acknowledged, came, again } = await runWebhookKills(events, kills, console.log)
const seconds = Math.round((performance.now() - began) / 1000)
console.log(
  `${kills} kills in ${seconds} s: ${acknowledged} acknowledged changes, all delivered; ${came} messages came, ${again} again.`,
)
