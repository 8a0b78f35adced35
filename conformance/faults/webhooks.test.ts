// A tenth of `npm run soak -- webhooks`, on each store; and a receiver that hangs.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { runHungReceiver } from './run-hung-receiver.ts'
import { runWebhookKills } from './run-webhook-kills.ts'

const [events, kills] = [1000, 2]

// Concurrently: most of the time is waiting, for retries and for the claims of the killed server.
describe('a server that is killed during deliveries loses none', { concurrency: true }, () => {
  for (const store of ['SQLite', 'PostgreSQL'] as const) {
    test(`on ${store}`, { timeout: 400_000 }, async () => {
      const database = store === 'SQLite' ? null : await makeTestDatabase()
      try {
        const { acknowledged, came } = await runWebhookKills(events, kills, database?.address ?? null)
        assert.ok(acknowledged >= events && came > acknowledged, `${acknowledged} acknowledged, ${came} came`)
      } finally {
        await database?.drop()
      }
    })
  }
})

test('a receiver that hangs slows the others by two times at most', { timeout: 400_000 }, async (t) => {
  // Other load affects both alike only in the median of some rounds; a real slowdown shows every time.
  const ratios: number[] = []
  while (ratios.length < 3 && !ratios.some((ratio) => ratio <= 2)) {
    ratios.push((await runHungReceiver(30, 3)).ratio)
  }
  t.diagnostic(`${ratios.map((ratio) => ratio.toFixed(2)).join(', ')} × as long`)
  assert.ok(Math.min(...ratios) <= 2, `${ratios.join(', ')} × as long`)
})
