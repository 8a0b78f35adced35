import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { type PageRequest, planMany } from '../plan.fixture.ts'
import { onEachStore, openTestStore, type TestStore } from '../store.fixture.ts'
import { exactCount } from './page-counts.ts'

const all = 50_000

/** Straight into the tables: through the store it would take minutes. */
async function run(store: TestStore, sql: string): Promise<void> {
  if (store.raw !== null) {
    await store.raw.query(sql)
    return
  }
  const database = new DatabaseSync(join(store.data, 'twain.db'))
  database.exec(sql)
  database.close()
}

onEachStore('estimated totals', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(
      `type Box implements Thing { id: ID! size: Int! shade: String! shelf: Shelf }
       type Shelf implements Thing { id: ID! boxes: [Box!]! }
       interface Thing { id: ID! }
       type Leaf @softDelete(keep: "30d") { id: ID! size: Int! }`,
      { on },
    )
    await store.replace('Shelf', 's', {})
    const numbers = `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ${all}) `
    const columns = `'b' || i, 1, i, CASE WHEN i % 10 < 4 THEN 'dark' ELSE 'light' END, 's'`
    // One of four leaves can be restored, and one of a hundred goes in the background.
    const version = 'CASE WHEN i % 100 = 1 OR i % 4 = 0 THEN -1 ELSE 1 END'
    await run(store, `INSERT INTO "Leaf" (id, _version, size) ${numbers} SELECT 'l' || i, ${version}, i FROM c`)
    await run(
      store,
      `INSERT INTO twain_trash (type, id, deletion, root, expires)
       ${numbers} SELECT 'Leaf', 'l' || i, 'd' || i, 1, '2099-01-01T00:00:00.000Z' FROM c WHERE i % 4 = 0`,
    )
    await run(store, `INSERT INTO "Box" (id, _version, size, shade, shelf) ${numbers} SELECT ${columns} FROM c`)
  })
  after(() => store.close())

  async function total(type: string, request: PageRequest): Promise<number | null> {
    const byType = type === 'Thing' ? { byType: { Box: ['id'], Shelf: ['id'] } } : { select: ['id'] }
    const page = { ...byType, ...request, limit: 1, total: true, isEstimated: true } as const
    const answer = await store.run(planMany(store.model, type, page))
    return answer.kind === 'many' ? answer.total : null
  }

  test('few rows are counted exactly, with every filter', async () => {
    assert.equal(await total('Box', { where: { size: { lte: exactCount } } }), exactCount)
    assert.equal(await total('Box', { where: { size: { gt: all } } }), 0)
    assert.equal(await total('Shelf', {}), 1)
  })

  test('many rows are estimated, with two digits', async () => {
    assert.equal(await total('Box', {}), all, 'each place of the sample has a row')
    const dark = (await total('Box', { where: { shade: { eq: 'dark' } } }))!
    assert.ok(dark >= 18_000 && dark <= 22_000, `${dark} of 20,000`)
    assert.equal(dark % 1000, 0)
    assert.equal(await total('Box', { where: { shade: { eq: 'dark' } } }), dark, 'the same each time')
    const barely = (await total('Box', { where: { size: { lte: exactCount + 1 } } }))!
    assert.ok(barely > exactCount && barely <= 12_000, `${barely} is told from an exact number`)
  })

  test('a connection has the same, and a list of one row and distinct rows are counted', async () => {
    const page = await store.many<{ totalCount: number }>('Box', { first: 1, isEstimated: true, select: ['id'] })
    assert.equal(page.totalCount, all)
    const boxes: PageRequest = { first: 1, isEstimated: true, where: { size: { lt: 12_346 } }, select: ['id'] }
    const [shelf] = await store.many<{ boxes: { totalCount: number } }[]>('Shelf', { select: [{ boxes }] })
    assert.equal(shelf!.boxes.totalCount, 12_345)
    assert.equal(await total('Box', { distinct: ['size'], where: { size: { lt: 12_346 } } }), 12_345)
    assert.equal(await total('Thing', {}), all + 1)
  })

  test('deleted rows count where the request asks for them, and nowhere else', async () => {
    const near = (found: number | null, rows: number) =>
      assert.ok(found !== null && Math.abs(found - rows) <= rows / 10, `${found} of ${rows}`)
    near(await total('Leaf', {}), 37_000)
    near(await total('Leaf', { deleted: 'only' }), 12_500)
    near(await total('Leaf', { deleted: 'with' }), 49_500)
    assert.equal(await total('Leaf', { deleted: 'only', where: { size: { lte: 20_000 } } }), 5_000, 'counted exactly')
  })

  test('gaps in the row numbers count as no rows', async () => {
    await run(store, `DELETE FROM "Box" WHERE size % 2 = 0 AND size < ${all}`)
    const left = (await total('Box', {}))!
    assert.ok(left >= 23_000 && left <= 27_000, `${left} of 25,001`)
  })
})
