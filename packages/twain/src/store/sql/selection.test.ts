import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { planOne } from '../plan.fixture.ts'
import { sqlite } from '../sqlite/dialect.ts'
import { onEachStore, openTestStore, type TestStore } from '../store.fixture.ts'

onEachStore('the selection of a row', (on) => {
  const fields = Array.from({ length: 60 }, (_, index) => `f${index}: Int`).join(' ')
  let store: TestStore
  before(async () => {
    store = await openTestStore(
      `
      type Shop { id: ID! order: String group: Int home: Place places: [Place!] grid: [[Place!]!] ${fields} }
      type Place { city: String at: Point points: [Point] }
      type Point { x: Float y: Float }
    `,
      { on },
    )
    await store.replace('Shop', 's', {
      order: 'o',
      group: 1,
      f59: 59,
      home: { city: 'Rome', at: { x: 1 }, points: [{ x: 0.1, y: 2 }, null] },
      places: [{ city: 'Oslo' }],
      grid: [[{ city: 'Bern' }], []],
    })
  })
  after(() => store.close())

  test('members of a value type, under the keys of the request', async () => {
    const { model } = store
    const place = model.values.find(({ name }) => name === 'Place')!
    const point = model.values.find(({ name }) => name === 'Point')!
    const boundPlan = planOne(model, 'Shop', 's', ['home'])
    const [home] = boundPlan.plan.selections
    if (home?.kind !== 'value') throw new Error('home is a value')
    home.selections = [
      { kind: 'constant', key: '__typename', value: 'Place' },
      { kind: 'field', key: 'where', field: place.fields.get('city')!, selections: null },
      {
        kind: 'field',
        key: 'dots',
        field: place.fields.get('points')!,
        selections: [{ kind: 'field', key: 'left', field: point.fields.get('x')!, selections: null }],
      },
    ]
    assert.equal(
      store.sql(boundPlan),
      `SELECT json_object('home', CASE WHEN t1."home" IS NOT NULL THEN json_object('__typename', 'Place', 'where', t1."home" -> '$.city', ` +
        `'dots', CASE WHEN (t1."home" ->> '$.points') IS NOT NULL THEN (SELECT json_group_array(CASE WHEN t2.value IS NOT NULL THEN json_object('left', t2.value -> '$.x') END) ` +
        `FROM json_each((t1."home" ->> '$.points')) AS t2) END) END), t1."_version" FROM "Shop" AS t1 WHERE t1."id" = ?1`,
    )
    const answer = await store.run(boundPlan)
    assert.equal(
      (answer as { text: string }).text,
      '{"home":{"__typename":"Place","where":"Rome","dots":[{"left":0.1},null]}}',
    )
  })

  test('lists of values, and lists of such lists', async () => {
    const row = await store.one('Shop', 's', ['places', 'grid'])
    assert.deepEqual(row, {
      places: [{ city: 'Oslo', at: null, points: null }],
      grid: [[{ city: 'Bern', at: null, points: null }], []],
    })
  })

  test('keys of the maximum length', async () => {
    const key = 'k'.repeat(10_000)
    assert.deepEqual(await store.one('Shop', 's', [`${key}:order`]), { [key]: 'o' })
  })

  test('more members than a function of SQLite accepts, in their order', async () => {
    const select = Array.from({ length: 1200 }, (_, index) => `k${index}:f${index % 60}`, { on })
    const row = await store.one('Shop', 's', select)
    assert.deepEqual(
      Object.keys(row!),
      select.map((word) => word.split(':')[0]),
    )
    assert.equal(row!.k1199, 59)
    assert.equal(row!.k1198, null)
  })

  test('an empty selection is an empty object', async () => {
    assert.deepEqual(await store.one('Shop', 's', []), {})
  })
})

test('a quote in a key, which no schema has, stays inside its text', () => {
  assert.equal(sqlite.object([["it's", '1']]), "json_object('it''s', 1)")
})
