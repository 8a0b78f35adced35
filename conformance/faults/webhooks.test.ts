// A tenth of what `npm run soak -- webhooks` does (reliability.md, 11), on each store, and a receiver that hangs beside them.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { runHungReceiver } from './run-hung-receiver.ts'
import { runWebhookKills } from './run-webhook-kills.ts'

const [events, kills] = [1000, 2]

// Side by side: most of it is waiting, for the next try and for what the killed one held.
describe('a server that is killed in the middle of deliveries loses none', { concurrency: true }, () => {
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
  // What else the machine does meets both alike only in the middle of some rounds; a promise that is broken is so each time.
  const ratios: number[] = []
  while (ratios.length < 3 && !ratios.some((ratio) => ratio <= 2)) {
    ratios.push((await runHungReceiver(30, 3)).ratio)
  }
  t.diagnostic(`${ratios.map((ratio) => ratio.toFixed(2)).join(', ')} × as long`)
  assert.ok(Math.min(...ratios) <= 2, `${ratios.join(', ')} × as long`)
})
