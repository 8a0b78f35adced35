import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { onEachStore, openTestStore, type StoreName } from '../../store.fixture.ts'
import type { JobOutcome, JobStore, NewJob } from './job-store.ts'

const start = Date.parse('2030-01-01T00:00:00.000Z')

onEachStore('the queue', (on) => {
  test('a job is claimed when it is due, by one node, and taken over when the lease ends', async (t) => {
    const { jobs, clock } = await open(t, on)
    const id = await jobs.enqueue(job({ payload: '{"a":1}' }))
    const later = await jobs.enqueue(job({ at: start + 5000 }))
    const both = await Promise.all([claim(jobs, 'x'), claim(jobs, 'y')])
    assert.deepEqual(both.flat(), [id])
    const [holder, other] = both[0].length === 1 ? ['x', 'y'] : ['y', 'x']
    assert.deepEqual(await due(jobs), 5000)
    clock.now += 5000
    assert.deepEqual(await claim(jobs, other), [later])
    assert.deepEqual(await due(jobs), 5000, 'the end of the first lease')
    assert.deepEqual(await jobs.renew([id, later], { holder, leaseMs: 10_000 }), new Set([id]))
    clock.now += 9999
    assert.deepEqual(await claim(jobs, 'z'), [])
    clock.now += 1
    const [taken, ...more] = await jobs.claim('code', 'thumbnail', 9, { holder: 'z', leaseMs: 10_000 })
    assert.deepEqual([taken?.id, taken?.isTakenOver, taken?.tries, more.length], [id, true, 2, 1])
    assert.equal(taken?.payload, '{"a":1}')
    assert.equal(await jobs.finish(id, holder, done), false, 'another node has it')
    assert.equal(await jobs.finish(id, 'z', done), true)
    const found = await jobs.find('code', id)
    assert.deepEqual([found?.state, found?.finished, found?.started], ['done', clock.now, start])
  })

  test('a failed job waits again, and is given up', async (t) => {
    const { jobs, clock } = await open(t, on)
    const id = await jobs.enqueue(job())
    await claim(jobs, 'x')
    const attempts = [{ at: start, took: 3, error: 'no' }]
    await jobs.finish(id, 'x', { state: 'waiting', delayMs: 1500, attempts })
    assert.deepEqual([await claim(jobs, 'x'), await due(jobs)], [[], 1500])
    clock.now += 1500
    assert.deepEqual(await claim(jobs, 'x'), [id])
    await jobs.finish(id, 'x', { state: 'failed', attempts })
    const failed = { kind: 'code', state: 'failed', offset: 0, limit: 9 } as const
    assert.deepEqual(
      (await jobs.list(failed)).map(({ tries, attempts: made }) => [tries, made]),
      [[2, attempts]],
    )
    assert.deepEqual(await jobs.count('code'), { waiting: 0, running: 0, failed: 1 })
    assert.equal((await jobs.retry('code', id))?.state, 'waiting')
    assert.deepEqual([await jobs.retry('code', id), await jobs.list(failed)], [null, []])
    assert.deepEqual(await claim(jobs, 'x'), [id])
    assert.equal((await jobs.find('code', id))?.tries, 1)
  })

  test('what a clock that was ahead has made wait is due by its own delay when the clock is right', async (t) => {
    const { jobs, clock } = await open(t, on)
    clock.now += 9 * 86_400_000
    const at = await jobs.enqueue(job({ at: clock.now + 5000 }))
    const [retried, released] = [await jobs.enqueue(job()), await jobs.enqueue(job())]
    await claim(jobs, 'x')
    await jobs.finish(retried, 'x', { state: 'waiting', delayMs: 1500, attempts: [] })
    await jobs.release('code', 'x')
    const enqueued = await jobs.enqueue(job())
    await due(jobs)
    clock.now -= 9 * 86_400_000
    assert.ok((await due(jobs))! <= 0)
    assert.deepEqual(await claim(jobs, 'x'), [released, enqueued])
    assert.deepEqual(await due(jobs), 1500)
    clock.now += 1500
    assert.deepEqual(await claim(jobs, 'x'), [retried])
    assert.equal((await jobs.find('code', at))?.due, start + 9 * 86_400_000 + 5000, 'a time that somebody has set')
  })

  test('a released attempt does not count; one of a killed process does', async (t) => {
    const { jobs } = await open(t, on)
    const id = await jobs.enqueue(job())
    const tries = async () => (await jobs.find('code', id))?.tries
    await claim(jobs, 'x')
    await jobs.finish(id, 'x', { state: 'waiting', delayMs: 0, isReleased: true, attempts: [] })
    assert.equal(await tries(), 0)
    await claim(jobs, 'x')
    await jobs.release('code', 'x')
    assert.equal(await tries(), 0)
    await claim(jobs, 'x')
    await jobs.release('code', null)
    assert.deepEqual([await tries(), await claim(jobs, 'y')], [1, [id]])
  })

  test('of a key one job waits, and one runs at a time', async (t) => {
    const { jobs, clock } = await open(t, on)
    const first = await jobs.enqueue(job({ key: 'k' }))
    assert.equal(await jobs.enqueue(job({ key: 'k' })), first, 'it waits')
    assert.notEqual(await jobs.enqueue(job({ key: 'k', name: 'other' })), first)
    assert.deepEqual(await claim(jobs, 'x'), [first])
    const second = await jobs.enqueue(job({ key: 'k' }))
    assert.notEqual(second, first, 'that one runs')
    assert.equal(await jobs.enqueue(job({ key: 'k' })), second)
    assert.deepEqual(await claim(jobs, 'x'), [])
    await jobs.finish(first, 'x', { state: 'waiting', delayMs: 1000, attempts: [] })
    assert.deepEqual(await claim(jobs, 'x'), [], 'the first one is tried again before it')
    clock.now += 1000
    assert.deepEqual(await claim(jobs, 'x'), [first])
    await jobs.finish(first, 'x', done)
    assert.deepEqual(await claim(jobs, 'x'), [second])
    assert.equal((await jobs.retry('code', first))?.state, 'waiting')
    assert.deepEqual(await claim(jobs, 'x'), [], 'the second one runs')
    await jobs.finish(second, 'x', done)
    assert.deepEqual(await claim(jobs, 'x'), [first])
  })

  test('many that enqueue a key at once get one job; no two nodes run jobs of it', async (t) => {
    const { jobs } = await open(t, on)
    let running = 0
    let most = 0
    const ids = new Set<string>()
    const enqueue = async () => {
      for (let n = 0; n < 15; n++) ids.add(await jobs.enqueue(job({ key: 'k' })))
    }
    const work = async (holder: string) => {
      for (let n = 0; n < 25; n++) {
        for (const id of await claim(jobs, holder)) {
          most = Math.max(most, ++running)
          await new Promise((resolve) => setImmediate(resolve))
          running--
          assert.equal(await jobs.finish(id, holder, done), true)
        }
      }
    }
    await Promise.all([enqueue(), enqueue(), work('x'), work('y'), work('z')])
    assert.equal(most, 1)
    await work('x')
    const states = (await jobs.list({ kind: 'code', offset: 0, limit: 100 })).map(({ id, state }) => [id, state])
    assert.deepEqual(Object.fromEntries(states), Object.fromEntries([...ids].map((id) => [id, 'done'])))
  })

  test('a job with an id of its own is enqueued once', async (t) => {
    const { jobs } = await open(t, on)
    assert.deepEqual(
      [await jobs.enqueue(job({ id: 'mine' })), await jobs.enqueue(job({ id: 'mine' }))],
      ['mine', 'mine'],
    )
    assert.deepEqual(await claim(jobs, 'x'), ['mine'])
    assert.equal(await jobs.enqueue(job({ id: 'mine', key: 'k' })), 'mine')
  })

  test('cancelled and old jobs, names of others, lists', async (t) => {
    const { jobs, clock } = await open(t, on)
    const [a, b] = [await jobs.enqueue(job({ name: 'a' })), await jobs.enqueue(job({ name: 'b' }))]
    assert.deepEqual(await jobs.otherNames('code', ['b']), ['a'])
    assert.deepEqual(await jobs.otherNames('code', []), ['a', 'b'])
    await jobs.claim('code', 'b', 1, { holder: 'x', leaseMs: 1000 })
    assert.deepEqual([(await jobs.cancel('code', b))?.state, await jobs.cancel('code', b)], ['cancelled', null])
    assert.deepEqual(await jobs.renew([b], { holder: 'x', leaseMs: 1000 }), new Set())
    assert.deepEqual([(await jobs.cancel('code', a))?.state, await jobs.otherNames('code', [])], ['cancelled', []])
    const ids = async (more: object) =>
      (await jobs.list({ kind: 'code', offset: 0, limit: 9, ...more })).map(({ id }) => id)
    assert.deepEqual([await ids({}), await ids({ offset: 1, limit: 1 })], [[b, a], [a]])
    assert.deepEqual([await ids({ name: 'a', state: 'cancelled' }), await ids({ state: 'failed' })], [[a], []])
    clock.now += 1000
    assert.deepEqual([await jobs.prune('code', 1000), await jobs.prune('delivery', 0)], [0, 0])
    assert.deepEqual([await jobs.prune('code', 999), await ids({})], [2, []])
  })

  test('a tick is fired once over all nodes', async (t) => {
    const { jobs, clock } = await open(t, on)
    const schedule = { name: 'report', spec: 'every 1h', tick: start + 1000 }
    await jobs.saveSchedule(schedule, null)
    await jobs.saveSchedule({ ...schedule, tick: 0 }, null)
    assert.deepEqual(await jobs.schedules(), [schedule], 'another node has saved it')
    const fire = (id: string) => jobs.fire(schedule, start + 9000, job({ id, name: 'report', key: 'schedule' }))
    assert.equal(await fire('early'), false)
    clock.now += 1000
    const fired = await Promise.all(['1', '2', '3'].map(fire))
    assert.equal(fired.filter(Boolean).length, 1)
    assert.deepEqual(await jobs.schedules(), [{ ...schedule, tick: start + 9000 }])
    assert.equal((await jobs.list({ kind: 'code', offset: 0, limit: 9 })).length, 1)
    clock.now += 8000
    assert.equal(
      await jobs.fire(
        { ...schedule, tick: start + 9000 },
        start + 19_000,
        job({ id: '4', name: 'report', key: 'schedule' }),
      ),
      true,
    )
    assert.equal(
      (await jobs.list({ kind: 'code', offset: 0, limit: 9 })).length,
      1,
      'that of the tick before still waits',
    )
    const changed = { ...schedule, spec: 'every 2h' }
    await jobs.saveSchedule(changed, { ...schedule, spec: 'something else' })
    assert.equal((await jobs.schedules())[0]?.spec, 'every 1h')
    await jobs.saveSchedule(changed, schedule)
    assert.deepEqual(await jobs.schedules(), [changed])
  })

  test('times are those of the database', async (t) => {
    const store = await openTestStore('type Note { id: ID! }', { on })
    t.after(() => store.close())
    const { jobs } = store.store
    const before = Date.now()
    const id = await jobs.enqueue(job())
    const { created, due: at } = (await jobs.find('code', id))!
    assert.ok(created >= before - 5 && created <= Date.now() + 5 && at === created)
    assert.ok(Math.abs((await jobs.now()) - Date.now()) < 5000)
    assert.deepEqual(await claim(jobs, 'x'), [id])
  })
})

test('PostgreSQL claims by the indexes of unfinished jobs, also without statistics', async (t) => {
  const store = await openTestStore('type Note { id: ID! }', { on: 'postgres' })
  t.after(() => store.close())
  const { queries } = store.store.jobs
  const { raw } = store
  const insert = (state: string, count: number) =>
    `INSERT INTO twain_job (id, kind, name, lane, payload, state, created, due, finished) SELECT '${state}' || n, 'code', 'work',
     'code:work:' || n, 'null', '${state}', '', '2020', ${state === 'done' ? "'2020'" : 'NULL'} FROM generate_series(1, ${count}) AS n`
  await raw!.query(insert('done', 5000))
  await raw!.query(insert('waiting', 500))
  const { sql, parameters } = queries.claim('code', 'work', 20, { holder: 'x', leaseMs: 1000 })
  const plan = (await raw!.query(`EXPLAIN ${sql}`, parameters)).map((row) => Object.values(row)[0]).join('\n')
  assert.match(plan, /twain_job_waiting[\s\S]*twain_job_in_lane/)
  assert.doesNotMatch(plan, /Seq Scan on twain_job|twain_job_named/)
})

const done: JobOutcome = { state: 'done', attempts: [] }

function job(more: Partial<NewJob> = {}): NewJob {
  return { kind: 'code', name: 'thumbnail', key: null, payload: 'null', at: null, by: 'anonymous', ...more }
}

async function claim(jobs: JobStore, holder: string): Promise<string[]> {
  return (await jobs.claim('code', 'thumbnail', 9, { holder, leaseMs: 10_000 })).map(({ id }) => id)
}

async function due(jobs: JobStore): Promise<number | undefined> {
  return (await jobs.nextDue('code', ['thumbnail', 'nobody'])).get('thumbnail')
}

async function open(t: TestContext, on: StoreName) {
  const clock = { now: start }
  const store = await openTestStore('type Note { id: ID! }', { on, clock: () => clock.now })
  t.after(() => store.close())
  return { jobs: store.store.jobs as JobStore, clock }
}
