import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runWebhookKills } from './webhook-kills.ts'

test('a server that is killed in the middle of deliveries loses none', { timeout: 200_000 }, async () => {
  const { acknowledged, came } = await runWebhookKills(300, 3)
  assert.ok(acknowledged >= 300 && came > acknowledged, `${acknowledged} acknowledged, ${came} came`)
})
