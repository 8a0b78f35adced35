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
    test(`on ${store}`, { timeout: 400_000 }, async () => {
      const database = store === 'SQLite' ? null : await makeTestDatabase()
      try {
        const report = await runJobKills(tasks, kills, database?.address ?? null)
        assert.ok(report.tasks + report.refused >= tasks && report.refused > 0, JSON.stringify(report))
      } finally {
        await database?.drop()
      }
    })
  }
})
