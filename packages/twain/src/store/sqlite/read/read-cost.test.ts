import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { AuthorizedPlan, PageRead } from '#plan'
import { planMany } from '../../plan.fixture.ts'
import { maxResultBytes } from '../../read/read-result.ts'
import { bind } from '../../sql/bind.ts'
import { compileCountedRead, compileRead } from '../../sql/read.ts'
import { openTestStore, type TestStore } from '../../store.fixture.ts'
import { layOut } from '../../tables/layout.ts'
import { openReadConnection } from '../connect/connect.ts'
import { sqlite } from '../dialect.ts'
import { MissCounter } from './read-cost.ts'

describe('a statement that counts the rows its filters reject', () => {
  let store: TestStore
  let database: ReturnType<typeof openReadConnection>
  let misses: MissCounter
  before(async () => {
    store = await openTestStore(`
      type Box { id: ID! n: Int items: [Item!]! tags: [Tag!]! }
      type Item { id: ID! n: Int @index box: Box }
      type Tag { id: ID! n: Int boxes: [Box!]! }
    `)
    for (let n = 0; n < 4; n++) await store.replace('Tag', `t${n}`, { n })
    for (let n = 0; n < 10; n++) await store.replace('Box', `b${n}`, { n, tags: [`t${n % 4}`] })
    for (let n = 0; n < 30; n++) await store.replace('Item', `i${10 + n}`, { n, box: `b${n % 9}` })
    database = openReadConnection(join(store.data, 'twain.db'), maxResultBytes)
    misses = new MissCounter(database)
  })
  after(async () => {
    database.close()
    await store.close()
  })

  /** The ids of the boxes; undefined if the filters reject more rows than `maxMisses`. */
  function ids(where: unknown, maxMisses: number, compile = compileCountedRead): unknown {
    const { plan, values } = planMany(store.model, 'Box', { where, select: ['id'], limit: 100, total: true })
    const { layout } = layOut(store.model, null)
    const { sql, parameters } = compile(plan as AuthorizedPlan<PageRead>, layout, true, sqlite)
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    return misses.run(maxMisses, () => statement.get(...bind(parameters, values, { account: null }, sqlite)))
  }

  const filters = [
    { n: { lt: 3 } },
    { n: { eq: 3 } },
    { id: { eq: 'b3' }, n: { gt: 5 } },
    { id: { gt: 'b3', lte: 'b7' }, n: { gt: 5 } },
    { and: [{ id: { gt: 'b3' } }, { id: { gte: 'b5' } }] },
    { not: { n: { in: [1, 2] } } },
    { items: { some: { n: { gt: 25 } } } },
    { items: { none: { n: { gt: 25 } } } },
    { items: { some: { n: { eq: 7 } } }, tags: { some: { id: { eq: 't3' } } } },
    { or: [{ tags: { some: { n: { lt: 1 } } } }, { items: { none: {} } }] },
    { tags: { some: { boxes: { some: { items: { some: { n: { eq: 29 } } } } } } } },
    { not: { tags: { some: { boxes: { none: { items: { some: { n: { gt: 20 } } } } } } } } },
  ]
  for (const where of filters) {
    test(`returns the same rows as without counting: ${JSON.stringify(where)}`, () => {
      assert.deepEqual(ids(where, 10_000), ids(where, 0, compileRead))
    })
  }

  test('stops after too many rejected rows, and can run again', () => {
    // Seven of ten, for the page, for whether more rows follow, and for the total.
    const where = { n: { lt: 3 } }
    assert.equal(ids(where, 20), undefined)
    assert.notEqual(ids(where, 21), undefined)
    assert.equal(ids(where, 0), undefined)
    assert.notEqual(ids({ n: { gte: 0 } }, 0), undefined)
  })

  test('does not visit rows beyond the bounds of the first sort key', () => {
    assert.notEqual(ids({ id: { gt: 'b3', lt: 'b7' } }, 0), undefined)
    assert.equal(ids({ and: [{ id: { gt: 'b3' } }, { id: { gte: 'b5' } }] }, 0), undefined) // it seeks by one of them
  })

  test('does not change other errors', () => {
    assert.throws(() => misses.run(5, () => database.prepare('SELECT x FROM nowhere')), /no such table/)
  })
})
