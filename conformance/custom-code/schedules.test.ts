// Schedules of custom code, by a clock that the tests set: one tick over all nodes, across restarts and daylight saving.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { bindJobs } from '../../packages/twain/src/code/bind-jobs.ts'
import { Schedules } from '../../packages/twain/src/jobs/schedules.ts'
import { onEachStore, openTestStore, type StoreName, silent } from '../../packages/twain/src/store/store.fixture.ts'

const hour = 3_600_000

onEachStore('schedules', (on) => {
  test('a period has its rhythm, whoever fires it', async (t) => {
    const place = await open(t, on, '2026-11-16T10:00:00Z')
    const nodes = [await place.node({ every: '1h' }), await place.node({ every: '1h' })]
    assert.equal(await nodes[0]!.fireDue(), 30_000, 'it looks for changes at least so often')
    await place.until('2026-11-16T13:30:00Z', nodes)
    assert.deepEqual(place.fired, ['11-16T11:00', '11-16T12:00', '11-16T13:00'])
  })

  test('ticks that nobody fired are one, and a period keeps its rhythm', async (t) => {
    const place = await open(t, on, '2026-11-16T10:00:00Z')
    await place.node({ every: '1h' })
    place.clock.now += 5.5 * hour // all servers are down
    const later = await place.node({ every: '1h' })
    await place.until('2026-11-16T17:10:00Z', [later])
    assert.deepEqual(place.fired, ['11-16T15:40', '11-16T16:00', '11-16T17:00'])
  })

  test('cron fires once for a skipped hour and once for a doubled one; a period is not affected', async (t) => {
    for (const [begin, expected] of [
      ['2026-03-28T12:00:00Z', ['03-29T01:30', '03-30T00:30']],
      ['2026-10-24T12:00:00Z', ['10-25T00:30', '10-26T01:30']],
    ] as const) {
      const place = await open(t, on, begin)
      const job = { cron: '30 2 * * *', timeZone: 'Europe/Berlin' }
      const nodes = [await place.node(job), await place.node(job)]
      await place.until(place.clock.now + 40 * hour, nodes)
      assert.deepEqual(place.fired, expected)
      const days = await open(t, on, begin)
      await days.until(days.clock.now + 50 * hour, [await days.node({ every: '1d' })])
      assert.deepEqual(
        days.fired.map((tick) => tick.slice(6)),
        ['12:00', '12:00'],
      )
    }
  })

  test('a schedule that changes is replaced; nodes of the former code leave it alone', async (t) => {
    const place = await open(t, on, '2026-11-16T10:00:00Z')
    const former = await place.node({ every: '1h' })
    const next = await place.node({ cron: '0 12 * * *' })
    await place.until('2026-11-16T11:30:00Z', [former, next])
    assert.deepEqual(place.fired, [])
    await place.until('2026-11-16T12:30:00Z', [former, next])
    assert.deepEqual(place.fired, ['11-16T12:00'])
    const again = await place.node({ every: '1h' })
    await place.until('2026-11-16T14:00:00Z', [next, again])
    assert.deepEqual(place.fired, ['11-16T12:00', '11-16T13:30'])
  })

  test('after the clock was ahead, a schedule goes on with its next tick, and says so', async (t) => {
    for (const [job, expected] of [
      [{ every: '1h' }, ['11-16T11:00', '11-16T12:00']],
      [{ cron: '30 2 * * *', timeZone: 'Europe/Berlin' }, ['11-17T01:30', '11-18T01:30']],
    ] as const) {
      const place = await open(t, on, '2026-11-16T09:55:00Z')
      const node = await place.node(job)
      for (const ahead of [9 * 24 * hour, 30 * hour]) {
        place.clock.now += ahead
        await node.fireDue()
        await place.done()
        place.clock.now -= ahead
      }
      place.clock.now += 300_000
      await node.fireDue()
      assert.match(place.told.join(), /the clock was ahead/)
      place.fired.length = 0
      await place.until('2026-11-18T04:00:00Z', [node])
      const found = place.fired.filter((tick) => expected.includes(tick as never))
      assert.deepEqual(found, expected)
    }
  })

  test('a clock that is set back by a few seconds fires no tick twice', async (t) => {
    const place = await open(t, on, '2026-11-16T10:59:59Z')
    const node = await place.node({ cron: '0 * * * *' })
    place.clock.now += 1500
    await node.fireDue()
    await place.done()
    place.clock.now -= 3000
    await place.until('2026-11-16T12:05:00Z', [node])
    assert.equal(place.fired.length, 2)
    assert.deepEqual(place.told, [])
  })

  test('a tick adds no job while that of the tick before waits', async (t) => {
    const place = await open(t, on, '2026-11-16T10:00:00Z')
    const node = await place.node({ every: '1h' })
    for (let tick = 0; tick < 3; tick++) {
      place.clock.now += hour
      await node.fireDue()
    }
    assert.equal((await place.jobs.list({ kind: 'code', offset: 0, limit: 9 })).length, 1)
  })
})

async function open(t: TestContext, on: StoreName, begin: string) {
  const clock = { now: Date.parse(begin) }
  const store = await openTestStore('type Note { id: ID! }', { on, clock: () => clock.now })
  t.after(() => store.close())
  const { jobs } = store.store
  const fired: string[] = []
  const told: string[] = []
  const done = async () => {
    for (const { id } of await jobs.claim('code', 'report', 9, { holder: 'x', leaseMs: 1000 })) {
      fired.push(new Date(clock.now).toISOString().slice(5, 16))
      await jobs.finish(id, 'x', { state: 'done', attempts: [] })
    }
  }
  return {
    clock,
    /** Warnings. */
    told,
    /** The jobs are done. */
    done,
    jobs,
    /** When jobs were enqueued. */
    fired,
    /** A node whose code has this job. */
    async node(job: object): Promise<Schedules> {
      const mistakes: string[] = []
      const definitions = [...bindJobs({ report: { ...job, run() {} } }, mistakes).values()]
      assert.deepEqual(mistakes, [])
      const log = { ...silent, warn: (_: unknown, text?: string) => void told.push(String(text)) }
      const schedules = new Schedules({ store: jobs, definitions, log })
      await schedules.save()
      return schedules
    },
    /** Lets the time pass by ten minutes at a time; all nodes look at once, and the jobs are done at once. */
    async until(end: string | number, nodes: readonly Schedules[]): Promise<void> {
      while (clock.now < (typeof end === 'number' ? end : Date.parse(end))) {
        clock.now += 600_000
        await Promise.all(nodes.map((node) => node.fireDue()))
        await done()
      }
    },
  }
}
