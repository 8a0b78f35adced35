// `npm run soak -- jobs=10000,20`: faults/jobs.test.ts with so many tasks and kills, on each store.
// stores: sqlite + postgres

import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { runJobKills } from '../faults/run-job-kills.ts'

const [count = 10_000, kills = 20] = process.argv.slice(2).map(Number)
for (const store of ['SQLite', 'PostgreSQL']) {
  const database = store === 'SQLite' ? null : await makeTestDatabase()
  const began = performance.now()
  const { tasks, refused, again } = await runJobKills(count, kills, database?.address ?? null, console.log)
  const seconds = Math.round((performance.now() - began) / 1000)
  await database?.drop()
  console.log(
    `${kills} kills on ${store} in ${seconds} s: ${tasks} tasks, ${refused} refused; each effect once, none lost; ${again} jobs ran again.`,
  )
}
