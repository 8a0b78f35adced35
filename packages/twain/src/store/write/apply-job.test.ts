import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { anonymous, type IdempotencyKey } from '#base/http'
import { check, defaultLimits, type PlanResult, type WritePlan } from '#plan'
import { PlanBuilder, planInput } from '#plan/build'
import { onEachStore, openTestStore, type TestStore } from '../store.fixture.ts'

onEachStore('the result of a write with an idempotency key', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore('type Note { id: ID! text: String @unique }', { on })
  })
  after(() => store.close())

  async function create(text: string, idempotencyKey: IdempotencyKey): Promise<PlanResult> {
    const of = store.model.resources[0]!
    const builder = new PlanBuilder()
    const set = planInput({ text }, of, 'create', builder, '', false)
    const plan: WritePlan = { kind: 'write', action: 'create', of, id: null, set, ifVersion: null, answer: [] }
    const values = check({ plan, values: builder.values(), places: builder.places }, defaultLimits)
    return store.store.run(plan as never, values, { idempotencyKey }, anonymous)
  }

  /** As if the result had been saved so many hours ago. */
  async function age(id: string, hours: number): Promise<void> {
    const time = new Date(Date.now() - hours * 3_600_000).toISOString()
    await store.execute('UPDATE twain_idempotency_key SET time = ?1 WHERE id = ?2', time, id)
  }

  const savedKeys = async () =>
    (await store.query('SELECT id FROM twain_idempotency_key ORDER BY id')).map(({ id }) => id)

  test('is replayed for a day, then the write runs again, and expired results are deleted', async () => {
    for (const number of [1, 2, 3]) await create(`old ${number}`, { id: `old-${number}`, fingerprint: 'p' })
    for (const number of [1, 2, 3]) await age(`old-${number}`, 25)
    const first = await create('a', { id: 'a', fingerprint: 'p' })
    assert.deepEqual(await savedKeys(), ['a'])
    await age('a', 23)
    assert.deepEqual(await create('a', { id: 'a', fingerprint: 'p' }), { ...first, replayed: true })
    assert.deepEqual(await store.store.idempotency.recall({ id: 'a', fingerprint: 'p' }), {
      ...first,
      replayed: true,
    })
    await assert.rejects(create('a', { id: 'a', fingerprint: 'q' }), { code: 'IDEMPOTENCY_KEY_REUSED' })
    await assert.rejects(store.store.idempotency.recall({ id: 'a', fingerprint: 'q' }), {
      code: 'IDEMPOTENCY_KEY_REUSED',
    })
    await age('a', 25)
    assert.equal(await store.store.idempotency.recall({ id: 'a', fingerprint: 'p' }), null)
    await assert.rejects(create('a', { id: 'a', fingerprint: 'p' }), { code: 'CONFLICT' }, 'the text is taken')
    const second = await create('b', { id: 'a', fingerprint: 'q' })
    assert.notDeepEqual(second, first)
    assert.deepEqual(await savedKeys(), ['a'])
  })
})
