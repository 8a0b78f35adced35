// `npm run soak -- webhooks=10000,20`: faults/webhooks.test.ts with so many events and kills, on each store.
// stores: sqlite + postgres

import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { runWebhookKills } from '../faults/run-webhook-kills.ts'

const [events = 10_000, kills = 20] = process.argv.slice(2).map(Number)
for (const store of ['SQLite', 'PostgreSQL']) {
  const database = store === 'SQLite' ? null : await makeTestDatabase()
  const began = performance.now()
  const { acknowledged, came, again } = await runWebhookKills(events, kills, database?.address ?? null, console.log)
  const seconds = Math.round((performance.now() - began) / 1000)
  await database?.drop()
  console.log(
    `${kills} kills on ${store} in ${seconds} s: ${acknowledged} acknowledged changes, all delivered; ${came} messages came, ${again} again.`,
  )
}
