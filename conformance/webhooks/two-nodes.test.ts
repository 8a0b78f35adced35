// Two nodes on one PostgreSQL database share the deliveries of webhooks.
// stores: postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { defaultWebhookSettings } from '../../packages/twain/src/events/index.ts'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { adminToken } from '../faults/run-webhook-kills.ts'
import { TestService } from '../harness/test-service.ts'
import { openReceiver } from './receiver.ts'

const sdl = `
type User @account { id: ID! email: String! @unique }
type Entry @allow { id: ID! number: Int! }
`

test('two nodes deliver each change once, in the order of its row, and one goes on when the other stops', async (t) => {
  const database = await makeTestDatabase()
  t.after(() => database.drop())
  const options = { database: database.address, webhooks: { ...defaultWebhookSettings, allowPrivate: true } }
  const receiver = await openReceiver(t, async (_got, response) => {
    await sleep(Math.random() * 20)
    response.writeHead(204).end()
  })
  const [first, second] = [await TestService.open(t, sdl, options), await TestService.open(t, sdl, options)]
  const authorization = `Bearer ${await adminToken(['--database', database.address])}`
  const { id } = await first.succeed('POST', '/webhooks', { url: receiver.url, events: ['entry.*'] }, { authorization })
  const rows = await Promise.all(Array.from({ length: 25 }, () => first.succeed('POST', '/entries', { number: 0 })))
  await sleep(10_500) // meanwhile the second node has found the webhook
  const change = (service: TestService, number: number) =>
    Promise.all(rows.map((row) => service.succeed('PATCH', `/entries/${row.id}`, { number })))
  for (let number = 1; number <= 4; number++) await change(number % 2 === 0 ? first : second, number)
  await receiver.has(125, 30_000)
  await first.close()
  await change(second, 5)
  await receiver.has(150, 20_000)
  await sleep(200)
  const bySubject = Map.groupBy(receiver.got, ({ event }) => event.subject)
  assert.equal(bySubject.size, 25)
  for (const got of bySubject.values())
    assert.deepEqual(
      got.map(({ event }) => event.version),
      [1, 2, 3, 4, 5, 6],
    )
  const all = await second.succeed('GET', `/webhooks/${id}/deliveries?limit=100`, undefined, { authorization })
  assert.ok(
    all.every(
      ({ state, attempts }: { state: string; attempts: unknown[] }) => state === 'delivered' && attempts.length === 1,
    ),
  )
})
