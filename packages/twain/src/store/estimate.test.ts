import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { anonymous } from '#base'
import { loadModel } from '#model'
import { authorize, check, defaultLimits, type Question, type Read } from '#plan'
import { compileRead } from './compile/read.ts'
import { estimate } from './estimate.ts'
import { layOut } from './layout.ts'
import { type Asking, planMany, planOne } from './plan.fixture.ts'
import { makeTables } from './sqlite/tables.ts'

const model = loadModel(
  `
  type User { id: ID! name: String! email: String @unique posts: [Post!]! @relation(inverse: "author") }
  type Post {
    id: ID! title: String status: String! rank: Int! @index(with: ["status"]) views: Int @index(with: ["likes"]) likes: Int
    kind: String @index(with: ["rank"]) author: User! tags: [Tag!]! home: Home about: Any
  }
  type Tag { id: ID! label: String! @index posts: [Post!]! @relation(inverse: "tags") }
  type Home { city: String }
  union Any = User | Tag
  `,
  'test.graphql',
)

/** Every table has a million rows, so that what depends on a table is seen at once. */
const million = 1_000_000
const sizes = { rows: () => million }

function rowsOf(question: Question<Read>, wantsTotal = false): number {
  const rows = estimate(question.plan, wantsTotal)
  return rows === null ? 0 : rows(check(question, defaultLimits), sizes)
}

const page = (type: string, asking: Asking) => rowsOf(planMany(model, type, asking))

test('a row by its id is short, and so is what it refers to', () => {
  assert.equal(
    rowsOf(planOne(model, 'Post', 'x', ['title', { author: ['name'] }, { about: { cases: { User: [], Tag: [] } } }])),
    0,
  )
})

test('a page that an index gives in its order looks at its own rows alone', () => {
  const short: [Asking, number][] = [
    [{}, 20],
    [{ limit: 50, offset: 100 }, 150],
    [{ first: 10, connection: ['edges'] }, 11],
    [{ order: ['-id'] }, 20],
    [{ order: ['rank', 'status'] }, 20],
    [{ order: ['-views', '-likes'] }, 20],
    [{ order: ['views'] }, Infinity], // likes stands between views and the id
    [{ where: { rank: { eq: 1 } }, order: ['status'] }, 20],
    [{ where: { rank: { eq: 1 }, status: { eq: 'x' } } }, 20],
    [{ where: { status: { eq: 'x' }, rank: { eq: 1 } }, order: ['-status', '-rank'] }, 20],
    [{ where: { author: { id: { eq: 'u' } } } }, 20],
    [{ where: { id: { eq: 'x' } }, order: ['title'] }, 20],
  ]
  for (const [asking, rows] of short) {
    const expected = rows === Infinity ? million : rows
    assert.equal(page('Post', { select: ['id'], ...asking }), expected, JSON.stringify(asking))
  }
  assert.equal(page('User', { select: ['id'], where: { email: { eq: 'a@x' } }, order: ['name'] }), 20)
})

test('what no index gives may look at the whole table', () => {
  const long: Asking[] = [
    { order: ['title'] },
    { order: ['rank', '-status'] },
    { order: ['status'] },
    { order: ['views', 'likes'] }, // of two keys with NULLs SQLite puts only the first one's last by the index
    { where: { title: { contains: 'x' } } },
    { where: { rank: { gt: 1 } } },
    { where: { rank: { in: [1] } } },
    { where: { status: { eq: 'x' } } },
    { where: { not: { rank: { eq: 1 } } } },
    { where: { or: [{ id: { eq: 'x' } }, { rank: { eq: 1 } }] } },
    { where: { home: { city: { eq: 'x' } } } },
    { where: { about: { id: { eq: 'x' } } } },
    { first: 10, connection: ['totalCount'] },
    { offset: 5_000_000 },
  ]
  for (const asking of long) assert.ok(page('Post', { select: ['id'], ...asking }) >= million, JSON.stringify(asking))
  assert.ok(page('Any', { cases: { User: ['id'], Tag: ['id'] } }) >= 2 * million)
  assert.ok(rowsOf(planMany(model, 'Post', { select: ['id'] }), true) >= million)
})

test('lists inside a row count once for each row of the page', () => {
  const nested = (posts: Asking): Asking => ({ limit: 10, select: [{ posts: { select: ['id'], limit: 5, ...posts } }] })
  assert.equal(page('User', nested({})), 10 + 10 * 5)
  assert.equal(page('User', nested({ select: [{ tags: { select: ['label'], limit: 3 } }] })), 10 + 10 * (5 + 5 * 3))
  assert.equal(page('User', nested({ order: ['title'] })), 10 + 10 * million)
  assert.equal(page('Post', { limit: 10, select: [{ tags: { select: ['id'], order: ['label'] } }] }), 10 + 10 * million)
})

test('a filter that comes to one row again and again counts its list each time', () => {
  const some = { posts: { some: { title: { eq: 'x' } } } }
  assert.equal(page('User', { where: some }), 2 * million)
  assert.equal(page('Post', { where: { author: { name: { eq: 'x' } } } }), 2 * million)
  assert.equal(page('Post', { where: { author: some } }), 2 * million + million * million)
  const circle = { tags: { some: { posts: { some: { tags: { some: {} } } } } } }
  assert.ok(page('Post', { where: circle }) >= million ** 3)
})

test('whatever is said to be in the order of an index, SQLite neither sorts nor scans', () => {
  const database = new DatabaseSync(':memory:')
  database.function('twain_cursor', (_name, _keys) => '')
  const { layout } = layOut(model, null)
  makeTables(database, model, layout)
  const fields = ['id', 'title', 'status', 'rank', 'views', 'likes', 'kind']
  const order = fc
    .uniqueArray(fc.constantFrom(...fields), { maxLength: 3 })
    .chain((keys) => fc.tuple(...keys.map((key) => fc.constantFrom(key, `-${key}`))))
    .map((keys) => keys as string[])
  const where = fc
    .uniqueArray(fc.constantFrom('id', 'title', 'status', 'rank', 'views', 'likes', 'kind', 'author'), { maxLength: 3 })
    .map((names) =>
      Object.fromEntries(
        names.map((name) => {
          const value = ['rank', 'views', 'likes'].includes(name) ? 1 : 'x'
          return [name, name === 'author' ? { id: { eq: 'x' } } : { eq: value }]
        }),
      ),
    )
  const within = fc.constantFrom(
    undefined,
    { of: 'User', field: 'posts', id: 'x' },
    { of: 'Tag', field: 'posts', id: 'x' },
  )
  let short = 0
  const property = fc.property(order, where, within, fc.boolean(), (keys, filter, scope, keyset) => {
    const asking: Asking = {
      order: keys,
      where: filter,
      select: ['id'],
      ...(keyset ? { first: 9, connection: ['edges'] } : { limit: 10 }),
      ...(scope === undefined ? {} : { within: scope }),
    }
    const question = planMany(model, 'Post', asking)
    if (rowsOf(question) > 10) return
    short++
    const { sql } = compileRead(authorize(question.plan, anonymous), layout, { more: false, total: false })
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]
    if (Object.hasOwn(filter, 'id')) return // a single row, looked up by its id: sorting it costs nothing
    const details = steps.map(({ detail }) => detail).join('\n')
    const told = `${JSON.stringify(asking)}\n${sql}\n${details}`
    assert.doesNotMatch(details, /TEMP B-TREE/, told)
    for (const name of Object.keys(filter)) assert.ok(details.includes(`${name}=?`), told)
  })
  fc.assert(property, { numRuns: 1500 })
  assert.ok(short > 50)
  database.close()
})
