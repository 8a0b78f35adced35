import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { LogPoint } from '../../changes/epochs.ts'
import { onEachStore, openTestStore, type StoreName } from '../../store.fixture.ts'
import type { NewDelivery, Webhook, WebhookStore } from './webhook-store.ts'

const now = Date.parse('2030-01-01T00:00:00.000Z')
const day = 86_400_000

/** Nothing was read back. */
const done = { row: null }

onEachStore('the webhook store', (on) => {
  test('returns webhooks as they were saved, up to a maximum', async (t) => {
    const records = await open(t, on)
    const one = hook('h1', { where: { title: { eq: 'x' } } })
    assert.deepEqual(
      [await records.add(one, 2), await records.add(hook('h2'), 2), await records.add(hook('h3'), 2)],
      [done, done, null],
    )
    assert.deepEqual(await records.find('h1'), one)
    assert.deepEqual(await records.list(), [one, hook('h2')])
    assert.deepEqual(
      [await records.remove('h1'), await records.remove('h1'), await records.find('h1')],
      [done, null, null],
    )
  })

  test('a change is saved unless another came first, and keeps the cursor of an active webhook', async (t) => {
    const records = await open(t, on, hook('h1'))
    assert.equal(await records.feed(feeding(at(0), at(5), [])), true)
    const owner = { account: 'bob', roles: ['admin'], key: null }
    const changed = { ...hook('h1'), url: 'https://example.org/2', owner, version: 2 }
    assert.deepEqual(await records.save(changed, 1, null), done)
    assert.equal(await records.save(changed, 1, null), null)
    assert.deepEqual(await records.find('h1'), { ...changed, cursor: at(5) })
    assert.equal(await records.pause('h1', 1, 'why', now), false, 'that was another address')
    assert.equal(await records.pause('h1', 2, 'why', now), true)
    assert.equal(await records.pause('h1', 3, 'why', now), false, 'it is paused')
    const paused = await records.find('h1')
    assert.deepEqual([paused?.active, paused?.paused, paused?.version], [false, 'why', 3])
    assert.deepEqual(await records.save({ ...changed, version: 4 }, 3, { windowMs: 0, cursor: at(9) }), done)
    assert.deepEqual((await records.find('h1'))?.cursor, at(9))
  })

  test('one node reads the log, until its lease ends', async (t) => {
    const { records, clock } = await openBoth(t, on, hook('h1'))
    const lease = (holder: string) => ({ holder, leaseMs: 30_000 })
    assert.deepEqual(await records.lease('h1', 1, lease('a')), at(0))
    clock.now += 1000
    assert.equal(await records.lease('h1', 1, lease('b')), null)
    clock.now += 1000
    assert.deepEqual(await records.lease('h1', 1, lease('a')), at(0))
    clock.now += 30_000
    assert.deepEqual(await records.lease('h1', 1, lease('b')), at(0))
    clock.now += 1000
    assert.equal(await records.lease('h1', 2, lease('b')), null)
  })

  test('deliveries are saved with the cursor or not at all, and none twice', async (t) => {
    const { records, jobs } = await openBoth(t, on, hook('h1'))
    assert.equal(await records.feed(feeding(at(0), at(2), [delivery(1), delivery(2)])), true)
    assert.equal(await records.feed(feeding(at(0), at(3), [delivery(3)])), false)
    assert.equal(await records.feed({ ...feeding(at(2), at(3), [delivery(3)]), version: 2 }), false)
    assert.equal(await records.feed(feeding(at(2), at(3), [delivery(2), delivery(3)])), true)
    assert.equal(await records.pending('h1'), 3)
    assert.deepEqual(
      (await jobs.list({ kind: 'delivery', name: 'h1', offset: 1, limit: 5 })).map(({ id }) => id),
      ['d2', 'd1'],
    )
  })

  test('one node claims a due delivery, and those of a row one after the other', async (t) => {
    const { records, jobs, clock } = await openBoth(t, on, hook('h1'))
    await records.feed(feeding(at(0), at(9), [delivery(1, 'a'), delivery(2, 'a'), delivery(3, 'b'), delivery(4, 'c')]))
    const claim = async (holder: string, most: number) =>
      (await records.claim('h1', 1, most, { holder, leaseMs: 30_000 })).map(({ id }) => id)
    const nextDue = async () => (await jobs.nextDue('delivery', ['h1'])).get('h1')
    const both = await Promise.all([claim('x', 2), claim('y', 2)])
    assert.deepEqual(both.flat().sort(), ['d1', 'd3', 'd4'])
    assert.deepEqual(await claim('x', 9), [])
    assert.equal(await nextDue(), 30_000)
    assert.deepEqual(
      await records.claim('h1', 2, 9, { holder: 'x', leaseMs: 0 }),
      [],
      'the webhook has another version',
    )
    const [owner] = both[0].includes('d1') ? ['x'] : ['y']
    const other = owner === 'x' ? 'y' : 'x'
    assert.equal(await jobs.finish('d1', other, { state: 'done', attempts: [] }), false)
    clock.now += 5
    assert.equal(await jobs.finish('d1', owner!, { state: 'done', attempts: [] }), true)
    assert.deepEqual(await claim('x', 9), ['d2'])
    await jobs.finish('d2', 'x', { state: 'waiting', delayMs: 500, attempts: [attempt] })
    assert.deepEqual([await claim('x', 9), await nextDue()], [[], 500])
    clock.now += 31_000
    assert.deepEqual(await claim('x', 9), ['d2', 'd3', 'd4'])
    const found = await records.findDelivery('d2')
    assert.deepEqual([found?.attempts, found?.until], [[attempt], now + 3 * day])
    assert.equal(await records.findDelivery('d9'), null)
    assert.deepEqual(
      [await records.deliveredSince('h1', now + 5), await records.deliveredSince('h1', now + 6)],
      [true, false],
    )
  })

  test('a finished delivery is sent again out of order, and deleted when it is old', async (t) => {
    const { records, jobs, clock } = await openBoth(t, on, hook('h1'))
    await records.feed(feeding(at(0), at(9), [delivery(1, 'a'), delivery(2, 'a')]))
    const lease = { holder: 'x', leaseMs: 30_000 }
    const nextDue = async () => (await jobs.nextDue('delivery', ['h1'])).get('h1')
    await records.claim('h1', 1, 1, lease)
    await jobs.finish('d1', 'x', { state: 'failed', attempts: [] })
    const failed = (await records.findDelivery('d1'))!
    assert.equal(await records.sendAgain({ ...failed, version: 1 }, 1000), null, 'it has another version')
    assert.deepEqual([await records.sendAgain(failed, 1000), await records.sendAgain(failed, 1000)], [done, null])
    const again = await records.findDelivery('d1')
    assert.deepEqual([again?.until, again?.version], [now + 1000, failed.version + 1])
    assert.equal(await records.sendAgain(again!, 1000), null, 'it is pending')
    assert.deepEqual(
      (await records.claim('h1', 1, 9, lease)).map(({ id }) => id),
      ['d1', 'd2'],
    )
    await jobs.finish('d1', 'x', { state: 'done', attempts: [] })
    assert.equal(await records.prune(0), 0)
    clock.now++
    assert.equal(await records.prune(0), 1)
    assert.deepEqual(
      (await jobs.list({ kind: 'delivery', offset: 0, limit: 9 })).map(({ id }) => id),
      ['d2'],
    )
    await jobs.release('delivery', 'y')
    assert.equal(await nextDue(), 29_999)
    await jobs.release('delivery', 'x')
    assert.equal(await nextDue(), -1)
    await records.claim('h1', 1, 9, lease)
    await records.release(null)
    assert.equal(await nextDue(), -1)
    assert.deepEqual(await records.remove('h1'), done)
    assert.equal(await nextDue(), undefined)
  })

  test('a change with an idempotency key is saved with its result, or neither is', async (t) => {
    const { records, recall, clock } = await openBoth(t, on, hook('h1'))
    const under = (id: string, n: number) => ({ under: { key: { id, fingerprint: id }, answer: { n } } })
    const known = async (id: string) => (await recall<{ answer: object }>({ id, fingerprint: id }))?.answer ?? null
    const h2 = { ...hook('h1'), version: 2 }
    assert.deepEqual(
      [await records.save(h2, 5, null, under('a', 1)), await known('a')],
      [null, null],
      'it has another version, and the key is nobody’s',
    )
    assert.deepEqual([await records.save(h2, 1, null, under('a', 2)), await known('a')], [done, { n: 2 }])
    assert.deepEqual(
      [await records.save({ ...h2, version: 3 }, 2, null, under('a', 3)), await known('a')],
      [null, { n: 2 }],
      'the key is another’s',
    )
    assert.deepEqual([await records.add(hook('h2'), 1, under('b', 1)), await known('b')], [null, null])
    assert.deepEqual([await records.add(hook('h2'), 2, under('b', 2)), await known('b')], [done, { n: 2 }])
    assert.deepEqual([await records.remove('h2', 7, under('c', 1)), await known('c')], [null, null])
    assert.deepEqual([await records.remove('h2', 1, under('c', 2)), await known('c')], [done, { n: 2 }])
    await records.feed({ ...feeding(at(0), at(9), [delivery(1)]), version: 2 })
    const pending = (await records.findDelivery('d1'))!
    assert.deepEqual([await records.sendAgain(pending, 0, under('d', 1)), await known('d')], [null, null])
    const readBack = { sql: 'SELECT version FROM twain_webhook', parameters: [] }
    assert.deepEqual(await records.keep({ ...under('e', 1), readBack }), { row: [2] })
    assert.equal(await records.keep({ ...under('e', 2), readBack }), null, 'the key is another’s')
    clock.now += day
    await records.deleteExpiredResults()
    assert.deepEqual(await known('a'), { n: 2 })
    clock.now += 1
    await records.deleteExpiredResults()
    assert.equal(await known('a'), null)
  })
})

const attempt = { at: now, took: 5, status: 500, answer: 'no', error: 'It answered 500.' }

function hook(id: string, more: Partial<Webhook> = {}): Webhook {
  return {
    id,
    url: 'https://example.org/',
    events: ['*'],
    where: null,
    secret: 'whsec_x',
    active: true,
    paused: null,
    owner: { account: null, roles: ['admin'], key: null },
    version: 1,
    created: now,
    changed: now,
    cursor: at(0),
    ...more,
  }
}

function at(position: number): LogPoint {
  return { epoch: '0a0b0c0d', position }
}

function delivery(position: number, subject = `row${position}`): NewDelivery {
  return { id: `d${position}`, position, subject, type: 'post.created' }
}

function feeding(from: LogPoint, to: LogPoint, deliveries: readonly NewDelivery[]) {
  return { webhook: 'h1', version: 1, from, to, deliveries, windowMs: 3 * day }
}

async function open(t: TestContext, on: StoreName, ...webhooks: Webhook[]): Promise<WebhookStore> {
  return (await openBoth(t, on, ...webhooks)).records
}

async function openBoth(t: TestContext, on: StoreName, ...webhooks: Webhook[]) {
  const clock = { now }
  const test = await openTestStore('type Post { id: ID! }', { on, clock: () => clock.now })
  t.after(() => test.close())
  const { store } = test
  assert.equal(await store.webhooks.hasActive(), false)
  const records = await store.webhooks.open()
  for (const webhook of webhooks) await records.add(webhook, 100)
  const recall = store.idempotency.recall.bind(store.idempotency)
  return { records, jobs: store.jobs, clock, recall }
}
