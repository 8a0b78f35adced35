// A twentieth of `npm run soak -- jobs`, on each store.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { runJobKills } from './run-job-kills.ts'

const [tasks, kills] = [500, 3]

// Concurrently: much of the time is waiting, for starts and for the leases of killed servers.
describe('servers that are killed while they run jobs lose none', { concurrency: true }, () => {
  for (const store of ['SQLite', 'PostgreSQL'] as const) {
    test(`on ${store}`, { timeout: 400_000 }, async (t) => {
      const database = store === 'SQLite' ? null : await makeTestDatabase()
      try {
        const report = await runJobKills(tasks, kills, database?.address ?? null)
        t.diagnostic(JSON.stringify(report))
        assert.ok(report.tasks > tasks * 0.8 && report.refused > 0)
      } finally {
        await database?.drop()
      }
    })
  }
})
