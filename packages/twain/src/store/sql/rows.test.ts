import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { loadModel } from '#model'
import type { AuthorizedPlan } from '#plan'
import { writeCursor } from '#plan/build'
import { type PageRequest, planMany } from '../plan.fixture.ts'
import { postgres } from '../postgres/dialect.ts'
import { migrate } from '../postgres/migrate/migrate.ts'
import { makeTestDatabase, type TestDatabase } from '../postgres/test-database.fixture.ts'
import { type Json, onEachStore, openTestStore, type TestStore } from '../store.fixture.ts'
import { layOut } from '../tables/layout.ts'
import { bind } from './bind.ts'
import { compileRead } from './read.ts'

interface Connection {
  edges: { node: Json; cursor: string }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

const sdl = `
type Item {
  id: ID! n: Int x: Float flag: Boolean at: DateTime price: Decimal mood: Mood name: String @index(with: ["n"])
  rank: Int! @default(value: 0) @index box: Box tags: [Tag!]!
}
type Box { id: ID! items: [Item!]! }
type Tag { id: ID! n: Int items: [Item!]! }
union Any = Item | Tag
enum Mood { GOOD BAD }
`

describe('a page after a cursor', () => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(sdl)
  })
  after(() => store.close())

  const fromOf = (sql: string): string => /AS MATERIALIZED \((.*)\) SELECT json_object/.exec(sql)![1]!

  const behind = async (type: string, order: string[], row: Json): Promise<string> => {
    const { id } = await store.create(type, row)
    const page = await store.many<Connection>(type, { first: 1, order, where: { id: { eq: id } } })
    await store.delete(type, id)
    const request = { first: 5, after: page.edges[0]!.cursor, order, select: ['id'], connection: ['edges' as const] }
    return fromOf(store.sql(planMany(store.model, type, request)))
  }

  const select = (condition: string, order: string): string =>
    `SELECT * FROM (SELECT t1."id", t1."name", t1."n" FROM "Item" AS t1 WHERE ${condition} ORDER BY ${order} LIMIT CAST(?1 AS INTEGER) + 1)`

  test('is one range for each key, then one for its NULLs, in the order of the page', async () => {
    const order = 't1."key of name" ASC NULLS LAST, t1."name" ASC, t1."n" ASC NULLS LAST, t1."id" ASC'
    const ranges = [
      't1."key of name" = ?2 AND t1."name" = ?3 AND t1."n" = ?4 AND t1."id" > ?5',
      't1."key of name" = ?2 AND t1."name" = ?3 AND t1."n" > ?4',
      't1."key of name" = ?2 AND t1."name" = ?3 AND t1."n" IS NULL',
      '(t1."key of name", t1."name") > (?2, ?3)',
      't1."key of name" IS NULL',
    ]
    assert.equal(
      await behind('Item', ['name', 'n'], { name: 'a', n: 1 }),
      `SELECT * FROM (${ranges.map((range) => select(range, order)).join(' UNION ALL ')}) LIMIT CAST(?1 AS INTEGER) + 1`,
    )
  })

  test('reverses with the direction, NULLs still last', async () => {
    const order = 't1."key of name" DESC NULLS LAST, t1."name" DESC, t1."n" DESC NULLS LAST, t1."id" DESC'
    const ranges = [
      't1."key of name" = ?2 AND t1."name" = ?3 AND t1."n" = ?4 AND t1."id" < ?5',
      't1."key of name" = ?2 AND t1."name" = ?3 AND t1."n" < ?4',
      't1."key of name" = ?2 AND t1."name" = ?3 AND t1."n" IS NULL',
      '(t1."key of name", t1."name") < (?2, ?3)',
      't1."key of name" IS NULL',
    ]
    assert.equal(
      await behind('Item', ['-name', '-n'], { name: 'a', n: 1 }),
      `SELECT * FROM (${ranges.map((range) => select(range, order)).join(' UNION ALL ')}) LIMIT CAST(?1 AS INTEGER) + 1`,
    )
  })

  test('after a NULL only rows with equal keys follow', async () => {
    const order = 't1."key of name" ASC NULLS LAST, t1."name" ASC, t1."n" DESC NULLS LAST, t1."id" DESC'
    const ranges = [
      't1."key of name" IS NULL AND t1."n" = ?2 AND t1."id" < ?3',
      't1."key of name" IS NULL AND t1."n" < ?2',
      't1."key of name" IS NULL AND t1."n" IS NULL',
    ]
    assert.equal(
      await behind('Item', ['name', '-n'], { n: 1 }),
      `SELECT * FROM (${ranges.map((range) => select(range, order)).join(' UNION ALL ')}) LIMIT CAST(?1 AS INTEGER) + 1`,
    )
  })

  test('with one key is one range', async () => {
    assert.equal(
      await behind('Item', ['-id'], {}),
      'SELECT t1."id" FROM "Item" AS t1 WHERE t1."id" < ?2 ORDER BY t1."id" DESC LIMIT CAST(?1 AS INTEGER) + 1',
    )
  })

  test('each range is one index seek, and nothing is sorted', async () => {
    const sql = await behind('Item', ['-name', '-n'], { name: 'a', n: 1 })
    const steps = (await store.query(`EXPLAIN QUERY PLAN ${sql}`, 1, 'a', 'a', 1, 'b')).map(({ detail }) =>
      String(detail),
    )
    assert.deepEqual(
      steps.filter((step) => /TEMP B-TREE|^SCAN t1/.test(step)),
      [],
    )
  })
})

describe('on PostgreSQL', () => {
  let database: TestDatabase
  before(async () => {
    database = await makeTestDatabase()
    const sdl = 'type Thing { id: ID! rank: Int @index }'
    await migrate(database.address, { model: loadModel(sdl, 'test.graphql'), sdl, allowBreaking: false })
    await database.raw.script(`INSERT INTO "Thing" (id, _version, rank) SELECT n, 1, nullif(n % 100, 0) FROM generate_series(1, 5000) n;
        ANALYZE "Thing"`)
  })
  after(() => database.drop())

  const model = loadModel('type Thing { id: ID! rank: Int @index }', 'test.graphql')
  const { layout } = layOut(model, null)
  const cursor = writeCursor('Thing(rank DESC,id DESC)', '[7,"9"]')

  for (const [title, request] of [
    ['a page by offset', { order: ['-rank'], limit: 5, offset: 3 }],
    ['the first page', { order: ['-rank'], first: 5, connection: ['edges'] }],
    ['a page behind a cursor', { order: ['-rank'], first: 5, after: cursor, connection: ['edges'] }],
    ['a page in the order of the index', { order: ['rank'], first: 5, connection: ['edges'] }],
  ] as [string, PageRequest][]) {
    test(`${title} comes from an index, and NULLs last are not sorted`, async () => {
      const { plan, values } = planMany(model, 'Thing', request)
      const { sql, parameters } = compileRead(plan as AuthorizedPlan<typeof plan>, layout, false, postgres)
      const rows = await database.raw.values(
        `EXPLAIN ${sql}`,
        bind(parameters, values, { account: null }, postgres) as string[],
      )
      const steps = rows.map(([step]) => String(step))
      assert.ok(
        steps.some((step) => /Index (Only )?Scan/.test(step)),
        steps.join('\n'),
      )
      assert.ok(!steps.some((step) => /Sort|Seq Scan|Filter/.test(step)), steps.join('\n'))
    })
  }
})

onEachStore('walking all pages by cursor', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(sdl, { on })
  })
  after(() => store.close())

  const row = fc.record({
    n: fc.option(fc.integer({ min: -1, max: 1 })),
    x: fc.option(fc.constantFrom(0.1 + 0.2, 0.3, -5e-324, 2 ** 60, 1.7976931348623157e308)),
    flag: fc.option(fc.boolean()),
    at: fc.option(fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z')),
    price: fc.option(fc.constantFrom('10', '10.5', '-10', '-10.5', '9', '0')),
    mood: fc.option(fc.constantFrom('GOOD', 'BAD')),
    name: fc.option(fc.constantFrom('', 'a', 'é', '𝒳', '\uffff', "o'clock")),
    rank: fc.integer({ min: 0, max: 1 }),
  })
  const order = fc
    .uniqueArray(fc.constantFrom('n', 'x', 'flag', 'at', 'price', 'mood', 'name', 'rank', 'id'), { maxLength: 3 })
    .chain((keys) => fc.tuple(...keys.map((key) => fc.constantFrom(key, `-${key}`))))
    .map((keys) => keys as string[])
  const scope = fc.constantFrom('none', 'box', 'tag')

  test('returns each row once and in order, while rows are inserted and deleted', async () => {
    const property = fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 9 }),
      order,
      fc.integer({ min: 1, max: 4 }),
      scope,
      async (rows, keys, first, within) => {
        const box = (await store.create('Box', {})).id
        const tag = (await store.create('Tag', {})).id
        const made = await Promise.all(rows.map((input) => store.create('Item', { ...input, box, tags: [tag] })))
        const ids = made.map(({ id }) => id)
        const scoped =
          within === 'none'
            ? { where: { box: { id: { eq: box } } } }
            : { within: { of: within === 'box' ? 'Box' : 'Tag', field: 'items', id: within === 'box' ? box : tag } }
        const listed = await store.many('Item', { ...scoped, order: keys, limit: 100, select: ['id'] })

        const walked: unknown[] = []
        const deleted = new Set<unknown>()
        let after: string | null = null
        do {
          const page: Connection = await store.many('Item', { ...scoped, order: keys, first, after, select: ['id'] })
          walked.push(...page.edges.map(({ node }) => node.id))
          after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
          // The row at the cursor is deleted, and a row outside of the next pages is inserted: neither affects the others.
          const last = walked.at(-1)
          if (after !== null && deleted.size < 2) {
            await store.delete('Item', String(last))
            deleted.add(last)
          }
          await store.create('Item', { rank: 0 })
        } while (after !== null)

        assert.deepEqual(
          walked,
          listed.map(({ id }) => id),
        )
        assert.deepEqual(walked.toSorted(), ids.toSorted())
        await store.delete('Box', box)
      },
    )
    await fc.assert(property, { numRuns: 60, seed: 1 })
  })

  test('never returns rows inserted before the cursor, and returns those after it once', async () => {
    const box = (await store.create('Box', {})).id
    for (const n of [10, 20, 30]) await store.create('Item', { n, box })
    const request = { where: { box: { id: { eq: box } } }, order: ['n'], first: 2, select: ['n'] }
    const page = await store.many<Connection>('Item', request)
    await store.create('Item', { n: 5, box })
    await store.create('Item', { n: 25, box })
    const next = await store.many<Connection>('Item', { ...request, first: 9, after: page.pageInfo.endCursor })
    assert.deepEqual(
      next.edges.map(({ node }) => node.n),
      [25, 30],
    )
  })

  test('over a union returns the rows of all types in one order', async () => {
    await Promise.all([5, 1, null, 3].map((n) => store.create('Tag', { n })))
    const byType = { Item: ['n'], Tag: ['n'] }
    const listed = await store.many('Any', { order: ['-n'], limit: 100, byType, where: { n: { gt: 0 } } })
    const walked: unknown[] = []
    let after: string | null = null
    do {
      const request = { order: ['-n'], first: 7, after, byType, where: { n: { gt: 0 } } }
      const page: Connection = await store.many('Any', request)
      walked.push(...page.edges.map(({ node }) => node))
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
    } while (after !== null)
    assert.deepEqual(walked, listed)
    assert.ok(walked.length >= 3)
  })

  test('goes on after a cursor of another filter, also by a key that the filter names', async () => {
    const someRow = fc.nat({ max: 5 })
    const property = fc.asyncProperty(
      fc.array(row, { minLength: 6, maxLength: 12 }),
      order.filter((keys) => keys.length > 0),
      fc.tuple(someRow, someRow, fc.nat({ max: 2 })),
      async (rows, keys, [at, like, named]) => {
        const box = (await store.create('Box', {})).id
        await Promise.all(rows.map((input) => store.create('Item', { ...input, box })))
        const fields = keys.map((key) => key.replace('-', ''))
        const inBox = { box: { id: { eq: box } } }
        const request = { order: keys, first: 99, select: ['id', ...fields] }
        const { edges } = await store.many<Connection>('Item', { ...request, where: inBox })
        const field = fields[named % fields.length]!
        const value = edges[like]!.node[field]
        if (value === null) return
        const after = edges[at]!.cursor
        const page = await store.many<Connection>('Item', {
          ...request,
          where: { ...inBox, [field]: { eq: value } },
          after,
        })
        const expected = edges.slice(at + 1).filter(({ node }) => node[field] === value)
        assert.deepEqual(page.edges, expected)
      },
    )
    await fc.assert(property, { numRuns: 60, seed: 1 })
  })
})
