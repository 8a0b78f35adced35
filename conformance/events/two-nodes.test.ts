// Two nodes on one PostgreSQL database: subscribers of one node receive the writes of the other within 100 ms (p99). Meanwhile echoes
// go over the same database: when they are late, events may be late too. `TWAIN_DELAY_LIMIT=100` allows no more than so many
// milliseconds, whatever else the machine does.
// stores: postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { MachineDelay } from '../harness/machine-delay.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

/** With `TWAIN_TEST_DELAY_MS` a change waits for the batch of the previous one, and for its own. */
const promised = 100 + 2 * Number(process.env.TWAIN_TEST_DELAY_MS ?? 0)
const limit = process.env.TWAIN_DELAY_LIMIT === undefined ? null : Number(process.env.TWAIN_DELAY_LIMIT)
/** An echo is one round trip to the database. From a write to a subscriber of the other node there are ten: checks, rows, commit,
 *  position, notification, reading, rules, and the client. */
const echoes = 10
const changes = 100

/** Two nodes need PostgreSQL. */
const skip = testedStore !== 'postgres'

test('a change on one node reaches the subscribers of the other, in order', { skip, timeout: 200_000 }, async (t) => {
  const { address: database, drop } = await makeTestDatabase()
  const ends: (() => unknown)[] = [drop]
  t.after(async () => {
    // Each is closed, whatever happened to the others: an open one would keep the process alive.
    for (const { status, reason } of await inTurn(ends)) if (status === 'rejected') t.diagnostic(String(reason))
  })
  const later = { after: (end: unknown) => void ends.unshift(end as () => unknown) }
  const sdl = 'type Note { id: ID! text: String! }'
  const [one, other] = [
    await TestService.open(later, sdl, { database }),
    await TestService.open(later, sdl, { database }),
  ]
  const client = createClient({ url: `${other.address.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket })
  later.after(() => client.dispose())
  const received: string[] = []
  const delays: { from: number; until: number }[] = []
  client.subscribe<{ noteCreated: { text: string } }>(
    { query: 'subscription { noteCreated { text } }' },
    {
      next({ data }) {
        const { text } = data!.noteCreated
        received.push(text)
        delays.push({ from: Number(text), until: performance.now() })
      },
      error: (error) => assert.fail(String(error)),
      complete() {},
    },
  )
  const echo = () => other.succeed('GET', '/notes?limit=1')
  await pause(500)
  for (let turn = 0; turn < 5; turn++) await echo() // longer on a busy machine
  await MachineDelay.beside(echo, async (lateness) => {
    const output: string[] = []
    while (output.length < changes) {
      const text = String(performance.now())
      const { status } = await one.send('POST', '/notes', { text })
      if (status === 201) output.push(text)
      else await pause(1000) // a busy database may be unavailable for a moment
      await pause(5)
    }
    await until(
      async () => received.length,
      (length) => length >= output.length,
    )
    assert.deepEqual(received, output)
    const late = delays.filter((delay) => delay.until - delay.from > fair(delay, lateness))
    const p99 = delays.map((delay) => delay.until - delay.from).toSorted((a, b) => a - b)[98]!
    t.diagnostic(`p99 ${p99.toFixed(1)} ms, from before the request to the subscriber; ${late.length} were late`)
    assert.ok(late.length <= changes / 100, `${late.length} of ${changes} were late, p99 is ${p99} ms`)
  })
})

function fair({ from, until }: { from: number; until: number }, lateness: MachineDelay): number {
  return limit ?? promised + echoes * lateness.within(from, until)
}

async function inTurn(ends: readonly (() => unknown)[]) {
  const outcomes: { status: 'fulfilled' | 'rejected'; reason?: unknown }[] = []
  for (const end of ends) outcomes.push(...(await Promise.allSettled([(async () => end())()])))
  return outcomes
}
