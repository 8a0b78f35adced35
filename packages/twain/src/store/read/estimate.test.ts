import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { loadModel } from '#model'
import {
  type AuthorizedPlan,
  type BoundPlan,
  check,
  defaultLimits,
  type Guard,
  type HistoryRead,
  type PageRead,
  type Parameter,
  type ReadPlan,
  type RowRead,
  type Selection,
} from '#plan'
import { PlanBuilder, planHistory, writeCursor } from '#plan/build'
import { guardOf, type PageRequest, planMany, planOne, resourceOf } from '../plan.fixture.ts'
import { compileCountedRead, compileDeepRead, compileRead } from '../sql/read.ts'
import { countMissFunction } from '../sql/where.ts'
import { sqlite } from '../sqlite/dialect.ts'
import { createTables } from '../sqlite/migrate/tables.ts'
import { layOut } from '../tables/layout.ts'
import { type Estimate, estimate, estimateCounted, estimateMiss } from './estimate.ts'
import type { Sizes } from './estimate-bytes.ts'

const model = loadModel(
  `
  type User { id: ID! name: String! email: String @unique posts: [Post!]! @relation(inverse: "author") }
  type Post {
    id: ID! title: String @search status: String! rank: Int! @index(with: ["status"]) views: Int @index(with: ["likes"]) likes: Int
    kind: String @index(with: ["rank"]) author: User! tags: [Tag!]! home: Home about: Any
  }
  type Tag { id: ID! label: String! @index posts: [Post!]! @relation(inverse: "tags") }
  type Home { city: String }
  union Any = User | Tag
  `,
  'test.graphql',
)

/** Every table has a million rows, so that a cost that depends on a table shows. */
const million = 1_000_000
const sizes: Sizes = { rows: () => million, bytes: () => ({ all: 0, widest: 0, average: 0 }), changes: () => million }

function rowsOf(boundPlan: BoundPlan<ReadPlan>, of = sizes): number {
  const rows = estimate(boundPlan.plan)
  return rows === null ? 0 : rows(check(boundPlan, defaultLimits), of)
}

const page = (type: string, request: PageRequest) => rowsOf(planMany(model, type, request))

test('a row by its id is short, and so are its references', () => {
  assert.equal(
    rowsOf(planOne(model, 'Post', 'x', ['title', { author: ['name'] }, { about: { byType: { User: [], Tag: [] } } }])),
    0,
  )
})

test('a history that leaves out entries may visit the whole log, unless its statement counts them', () => {
  const builder = new PlanBuilder()
  const { plan, values } = planOne(model, 'Post', 'x', [])
  const read = planHistory(plan.of, { first: 10, after: null }, [], builder, { first: 'first', after: 'after' })
  const place = ({ index }: Parameter): Parameter => ({ index: values.length + index, accepts: { kind: 'version' } })
  const history = { ...read, first: place(read.first), below: place(read.below) }
  const known = [...values, ...builder.values()]
  const work = (made: HistoryRead, of: (plan: ReadPlan) => Estimate | null) =>
    of({ ...plan, selections: [{ kind: 'changes', key: 'all', read: made }] })!(known, sizes)
  const ruled = { ...history, guard: guardOf(model, 'Post', { status: { eq: 'OPEN' } }) }
  assert.ok(work(history, estimate) < 500, 'each entry is in the page')
  assert.ok(work(ruled, estimate) >= million)
  assert.ok(
    work({ ...history, fields: history.fields.slice(1) }, estimate) >= million,
    'a field that is never readable',
  )
  assert.ok(work(ruled, estimateCounted) < 500)
  assert.ok(work(ruled, estimateMiss) >= history.fields.length)
  const counted = { ...plan, selections: [{ kind: 'changes', key: 'all', read: ruled }] } as RowRead
  const { sql } = compileCountedRead(counted as AuthorizedPlan<RowRead>, layOut(model, null).layout, false, sqlite)
  assert.match(sql, /FROM twain_change .* THEN 1 ELSE twain_missed\(\) END ORDER BY version DESC/)
})

test('no index knows which rows are deleted', () => {
  assert.ok(page('Tag', { limit: 10 }) < 100)
  for (const deleted of ['only', 'with'] as const) assert.ok(page('Tag', { limit: 10, deleted }) >= million)
  const estimated = { limit: 1, total: true, isEstimated: true } as const
  assert.ok(page('Tag', estimated) < 20_000)
  assert.ok(page('Tag', { ...estimated, deleted: 'only' }) >= million)
})

test('a page in the order of an index visits only its own rows', () => {
  const short: [PageRequest, number][] = [
    [{}, 20],
    [{ limit: 50, offset: 100 }, 52.5], // an index skips forty entries in the time of a row
    [{ limit: 50, offset: 100, order: ['-views', '-likes'] }, 150], // the NULLs are a range of their own
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
    [{ where: { id: { gt: 'x' } } }, 20],
    [{ where: { rank: { lt: 9 } }, order: ['-rank', '-status'] }, 20],
    [{ where: { rank: { gte: 1, lte: 9 } }, order: ['rank', 'status'] }, 20],
    [{ where: { rank: { between: [1, 9] } }, order: ['rank', 'status'] }, 20],
    [{ where: { kind: { eq: 'x' }, rank: { gt: 1 } }, order: ['rank'] }, 20],
    [{ where: { rank: { gt: 1 } }, order: ['rank', 'status'], limit: 50, offset: 100 }, 52.5],
    [{ where: { author: { id: { eq: 'u' } } }, limit: 50, offset: 100 }, 150],
    [{ where: { rank: { gt: 1 } }, order: ['rank', 'status'], first: 10, connection: ['edges'] }, 11],
  ]
  for (const [request, rows] of short) {
    const expected = rows === Infinity ? million : rows
    assert.equal(page('Post', { select: ['id'], ...request }), expected, JSON.stringify(request))
  }
  assert.equal(page('User', { select: ['id'], where: { email: { eq: 'a@x' } }, order: ['name'] }), 20)
})

test('after a cursor, an index covers the bound at which the page ends, and not a second one at which it begins', () => {
  const after = (direction: string) =>
    writeCursor(`Post(rank ${direction},status~ ${direction},id ${direction})`, '[5,"x","p"]')
  const ascending = { order: ['rank', 'status'], after: after('ASC') }
  const descending = { order: ['-rank', '-status'], after: after('DESC') }
  const pages: [PageRequest, 'lt' | 'gt', number][] = [
    [ascending, 'lt', 11],
    [ascending, 'gt', million],
    [descending, 'gt', 11],
    [descending, 'lt', million],
  ]
  for (const [request, bound, rows] of pages) {
    const where = { rank: { [bound]: 7 } }
    const of = { select: ['id'], first: 10, connection: ['edges' as const], where, ...request }
    assert.equal(page('Post', of), rows, `${request.order} ${bound}`)
  }
})

test('an order by other rows or by a count visits the whole table, and what the keys look up', () => {
  const visited = (request: PageRequest) => page('Post', { select: ['id'], ...request })!
  assert.ok(visited({ order: ['author.name'] }) >= 2 * million)
  assert.ok(visited({ order: ['author.name'], where: { id: { eq: 'x' } } }) >= million, 'even for one row')
  assert.ok(page('User', { select: ['id'], order: ['posts._count'] })! >= 2 * million)
  assert.ok(visited({ order: ['-author.posts._count'], first: 1, connection: ['edges'] }) >= million * million)
})

test('a page after the end of a small table visits no more rows than exist', () => {
  const few: Sizes = { ...sizes, rows: () => 30 }
  const behind = planMany(model, 'Post', { select: ['id'], limit: 20, offset: 2_147_483_647 })
  assert.equal(rowsOf(behind, few), 20 + 30 / 40)
})

test('a page without an index may visit the whole table', () => {
  const long: PageRequest[] = [
    { order: ['title'] },
    { order: ['rank', '-status'] },
    { order: ['status'] },
    { order: ['views', 'likes'] }, // of two keys with NULLs SQLite puts only the first one's last by the index
    { where: { title: { contains: 'x' } } },
    { where: { rank: { gt: 1 } } },
    { where: { rank: { gt: 1 }, status: { gt: 'x' } }, order: ['rank', 'status'] },
    { where: { and: [{ rank: { gt: 1 } }, { rank: { gt: 2 } }] }, order: ['rank', 'status'] }, // it seeks by one of them
    { where: { views: { gt: 1 } }, order: ['-views', '-likes'] }, // it reads the NULLs too
    { where: { id: { gt: 'x' } }, within: { of: 'Tag', field: 'posts', id: 'x' } },
    { where: { rank: { in: [1] } } },
    { where: { status: { eq: 'x' } } },
    { where: { not: { rank: { eq: 1 } } } },
    { where: { or: [{ id: { eq: 'x' } }, { rank: { eq: 1 } }] } },
    { where: { home: { city: { eq: 'x' } } } },
    { where: { about: { id: { eq: 'x' } } } },
    { first: 10, connection: ['totalCount'] },
    { offset: 5_000_000, order: ['-views', '-likes'] },
  ]
  for (const request of long)
    assert.ok(page('Post', { select: ['id'], ...request }) >= million, JSON.stringify(request))
  assert.ok(page('Any', { byType: { User: ['id'], Tag: ['id'] } }) >= 2 * million)
  assert.ok(rowsOf(planMany(model, 'Post', { select: ['id'], total: true })) >= million)
})

test('lists inside a row count once for each row of the page', () => {
  const nested = (posts: PageRequest): PageRequest => ({
    limit: 10,
    select: [{ posts: { select: ['id'], limit: 5, ...posts } }],
  })
  assert.equal(page('User', nested({})), 10 + 10 * 5)
  assert.equal(page('User', nested({ select: [{ tags: { select: ['label'], limit: 3 } }] })), 10 + 10 * (5 + 5 * 3))
  assert.equal(page('User', nested({ order: ['title'] })), 10 + 10 * million)
  assert.equal(page('Post', { limit: 10, select: [{ tags: { select: ['id'], order: ['label'] } }] }), 10 + 10 * million)
})

test('a filter that reaches one row repeatedly counts its list each time', () => {
  const some = { posts: { some: { title: { eq: 'x' } } } }
  assert.equal(page('User', { where: some }), 2 * million)
  assert.equal(page('Post', { where: { author: { name: { eq: 'x' } } } }), 2 * million)
  assert.equal(page('Post', { where: { author: some } }), 2 * million + million * million)
  const circle = { tags: { some: { posts: { some: { tags: { some: {} } } } } } }
  assert.ok(page('Post', { where: circle }) >= million ** 3)
})

/** A thousand rows, one of them of a megabyte. */
const wide: Sizes = { ...sizes, rows: () => 1000, bytes: () => ({ all: 1_100_000, widest: 1_048_576, average: 1100 }) }
const work = (type: string, request: PageRequest) => rowsOf(planMany(model, type, request), wide)

test('many conditions on each row count, and so does a long list', () => {
  const many = { or: Array.from({ length: 100 }, (_, rank) => ({ rank: { eq: rank } })) }
  assert.ok(work('Post', { select: ['id'], where: many }) >= 25_000)
  const four = Object.fromEntries(['rank', 'views', 'likes', 'status'].map((name) => [name, { isNull: false }]))
  assert.ok(work('Post', { select: ['id'], where: four }) < 2000)
  const listed = { rank: { in: Array.from({ length: 1000 }, (_, rank) => rank) } }
  assert.ok(work('Post', { select: ['id'], where: listed }) >= 1250)
})

test('a text search counts by bytes and by word, also through references', () => {
  const plain = work('Post', { select: ['id'], where: { rank: { gt: 1 } } })
  const search = (text: string) => work('Post', { select: ['id'], where: { title: { contains: text } } })
  assert.ok(plain < 1500)
  assert.ok(search('x') > plain + 1000)
  assert.ok(work('Post', { select: ['id'], where: { title: { ieq: 'x' } } }) > plain + 20_000)
  assert.ok(search('x'.repeat(3200)) > 100 * 1000)
  assert.ok(work('Post', { select: ['id'], where: { author: { name: { contains: 'x' } } } }) > 1_000_000)
  assert.ok(work('User', { select: ['id'], where: { posts: { some: { title: { endsWith: 'x' } } } } }) > 1_000_000)
  assert.ok(work('Post', { select: ['id'], where: { home: { city: { eq: 'x' } } } }) > plain + 4000)
})

test('a word search counts the table and its words in every form', () => {
  const boundPlan = (search: string) => planMany(model, 'Post', { limit: 1, select: ['id'], search })
  assert.ok(rowsOf(boundPlan('x')) >= 2 * million)
  assert.ok(rowsOf(boundPlan('x y z')) >= 4 * million)
  const { plan, ...rest } = boundPlan('x')
  const counted = estimateCounted(plan)
  assert.ok(counted !== null && counted(check({ plan, ...rest }, defaultLimits), sizes) >= 2 * million)
  assert.ok(work('Post', { select: ['id'], search: 'x' }) > 1000)
})

test('selected fields count by the average row, JSON values by the widest, and each key again', () => {
  assert.equal(work('Post', { limit: 20, select: ['rank', 'id'] }), 20)
  const texts = work('Post', { limit: 20, select: ['title', 'status'] })
  assert.ok(texts > 40 && texts < 200)
  assert.ok(work('Post', { limit: 20, select: [{ home: ['city'] }] }) > 5000)
  const one = (select: PageRequest['select']) => rowsOf(planOne(model, 'Post', 'x', select), wide)
  assert.deepEqual([one(['rank']), one(['title', 'status'])], [0, 0])
  assert.ok(one([{ home: ['city'] }]) > 5000)
  assert.ok(one([{ author: ['name'] }]) < 10)
})

test('a rejected row costs what its filters visit', () => {
  const miss = (where: unknown, of = wide) => {
    const boundPlan = planMany(model, 'Post', { select: ['id'], where } as PageRequest)
    return estimateMiss(boundPlan.plan)(check(boundPlan, defaultLimits), of)
  }
  assert.equal(miss({ rank: { gt: 1 } }, sizes), 1)
  assert.ok(miss({ rank: { gt: 1 } }) < 1.5)
  assert.ok(miss({ title: { contains: 'x' } }) > 1000)
  assert.equal(miss({ or: Array.from({ length: 100 }, () => ({ rank: { eq: 1 } })) }, sizes), 25)
})

describe('under rules', () => {
  const ruled = loadModel(
    `
    type User @account { id: ID! email: String! @unique teams: [Team!]! @relation(inverse: "members") }
    type Team { id: ID! members: [User!]! fans: [Fan!]! slots: [Slot!]! posts: [Post!]! }
    type Fan { id: ID! team: Team! user: User! kind: String }
    type Slot { id: ID! team: Team! user: User! @unique(with: ["team"]) }
    type Post { id: ID! title: String status: String! author: User! team: Team }
    `,
    'test.graphql',
  )
  const guard = (type: string, where: unknown) => guardOf(ruled, type, where)
  const own = guard('Post', { author: { isViewer: true } })
  const open = guard('Post', { status: { eq: 'OPEN' } })
  const fans = guard('Post', { team: { fans: { some: { user: { isViewer: true } } } } })

  /** The cost of a plain statement, and of one that counts the rows it rejects. */
  function both(plan: ReadPlan, values: readonly unknown[]): [plain: number, counted: number] {
    const rows = (made: Estimate | null) => (made === null ? 0 : made(values, sizes))
    return [rows(estimate(plan)), rows(estimateCounted(plan))]
  }
  function pageUnder(where: Guard | null, request: PageRequest = {}, type = 'Post'): [number, number] {
    const { plan, values } = planMany(ruled, type, { select: ['id'], ...request })
    return both({ ...plan, where }, values)
  }

  test('a page of the viewer’s own rows is short', () => {
    assert.deepEqual(pageUnder(own), [20, 20])
    assert.deepEqual(pageUnder({ kind: 'viewer' }, {}, 'User'), [20, 20])
    assert.deepEqual(pageUnder({ kind: 'constant', is: true }), [20, 20])
    assert.deepEqual(pageUnder({ kind: 'constant', is: false }), [0, 0])
  })

  test('a page under any other rule may be long, except for a counting statement', () => {
    assert.deepEqual(pageUnder(open), [million, 20])
    assert.deepEqual(pageUnder({ kind: 'or', of: [own, open] }), [2 * million, 20])
    assert.deepEqual(pageUnder({ kind: 'and', of: [own, open] }), [2 * million, 20])
    assert.ok(pageUnder(fans)[0] > million)
    assert.equal(pageUnder(fans)[1], 20)
    // A sort visits all rows, rejected or not.
    assert.deepEqual(pageUnder(open, { order: ['title'] }), [million, million])
    assert.ok(pageUnder(open, { first: 5, connection: ['totalCount'] })[1] >= million)
  })

  test('a guard that reads a list counts it, on a row, a field, a referred row and a sort key', () => {
    const { plan, values } = planOne(ruled, 'Post', 'x', ['title', 'author', { team: ['id'] }])
    const [title, author, team] = plan.selections as [
      Selection & { kind: 'field' },
      Selection & { kind: 'id' },
      Selection & { kind: 'one' },
    ]
    const list = guard('Team', { fans: { some: {} } })
    assert.deepEqual(both({ ...plan, guard: own }, values), [0, 0])
    const listed: RowRead[] = [
      { ...plan, guard: fans },
      { ...plan, selections: [{ ...title, guard: fans }] },
      {
        ...plan,
        selections: [{ ...author, targets: [{ of: resourceOf(ruled, 'User'), guard: list, selections: [] }] }],
      },
      { ...plan, selections: [{ ...team, types: [{ ...team.types[0]!, guard: list }] }] },
    ]
    for (const one of listed) {
      const [plain, counted] = both(one, values)
      assert.ok(plain >= million)
      assert.equal(counted, 0)
    }
    const sorted = planMany(ruled, 'Post', { select: ['id'] })
    const key = { ...sorted.plan.order[0]!, guard: own } as PageRead['order'][number]
    assert.deepEqual(both({ ...sorted.plan, order: [key] }, sorted.values), [2 * million, 2 * million])
  })

  test('a counting statement lets an index cover what it can, and checks the rest on each row', () => {
    const { layout } = layOut(ruled, null)
    const conditionOf = (type: string, where: Guard, request: PageRequest = {}): string => {
      const { plan } = planMany(ruled, type, { select: ['id'], ...request })
      const { sql } = compileCountedRead(
        { ...plan, where } as PageRead as AuthorizedPlan<PageRead>,
        layout,
        false,
        sqlite,
      )
      return /WHERE (.*) ORDER BY/.exec(sql)![1]!
    }
    assert.equal(conditionOf('Post', own), 't1."author" = ?3')
    assert.equal(conditionOf('Post', open), 'CASE WHEN (t1."status" = ?3) THEN 1 ELSE twain_missed() END')
    assert.equal(
      conditionOf('Post', { kind: 'and', of: [open, own] }),
      't1."author" = ?3 AND CASE WHEN (t1."status" = ?4) THEN 1 ELSE twain_missed() END',
    )
    assert.equal(
      conditionOf('Post', { kind: 'and', of: [own, open] }, { within: { of: 'Team', field: 'posts', id: 'x' } }),
      't1."team" = ?1 AND CASE WHEN (t1."author" = ?4 AND t1."status" = ?5) THEN 1 ELSE twain_missed() END',
    )
    const some = (field: string) => guard('Team', { [field]: { some: { user: { isViewer: true } } } })
    assert.equal(
      conditionOf('Team', some('fans')),
      'CASE WHEN (EXISTS (SELECT 1 FROM "Fan" AS t2 WHERE t2."team" = t1."id" AND CASE WHEN (t2."user" = ?3) THEN 1 ELSE twain_missed() END)) THEN 1 ELSE twain_missed() END',
    )
    assert.equal(
      conditionOf('Team', some('slots')),
      'CASE WHEN (EXISTS (SELECT 1 FROM "Slot" AS t2 WHERE t2."team" = t1."id" AND t2."user" = ?3)) THEN 1 ELSE twain_missed() END',
    )
    assert.equal(
      conditionOf('Team', guard('Team', { members: { some: { isViewer: true } } })),
      'CASE WHEN (EXISTS (SELECT 1 FROM "User_teams" AS t3 JOIN "User" AS t2 ON t2."id" = t3."left_id" WHERE t3."right_id" = t1."id" AND t2."id" = ?3)) THEN 1 ELSE twain_missed() END',
    )
  })
})

test('SQLite neither sorts nor scans for any page that the estimate calls short', () => {
  const database = new DatabaseSync(':memory:')
  database.function('twain_cursor', (_name, _keys) => '')
  database.function(countMissFunction, () => 0)
  const { layout } = layOut(model, null)
  createTables(database, model, layout)
  const fields = ['id', 'title', 'status', 'rank', 'views', 'likes', 'kind']
  const order = fc
    .uniqueArray(fc.constantFrom(...fields), { maxLength: 3 })
    .chain((keys) => fc.tuple(...keys.map((key) => fc.constantFrom(key, `-${key}`))))
    .map((keys) => keys as string[])
  const names = fc.uniqueArray(fc.constantFrom(...fields, 'author'), { maxLength: 3 })
  const operator = fc.constantFrom('eq', 'eq', 'lt', 'gte')
  const where = fc.tuple(names, operator, operator, operator).map(([chosen, ...operators]) =>
    Object.fromEntries(
      chosen.map((name, index) => {
        const value = ['rank', 'views', 'likes'].includes(name) ? 1 : 'x'
        return [name, name === 'author' ? { id: { eq: 'x' } } : { [operators[index]!]: value }]
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
    const request: PageRequest = {
      order: keys,
      where: filter,
      select: ['id'],
      ...(keyset ? { first: 9, connection: ['edges'] } : { limit: 10 }),
      ...(scope === undefined ? {} : { within: scope }),
    }
    const boundPlan = planMany(model, 'Post', request)
    const plan = boundPlan.plan as AuthorizedPlan<PageRead>
    const isShort = rowsOf(boundPlan) <= 10
    const counted = estimateCounted(plan)!(check(boundPlan, defaultLimits), sizes)
    assert.ok(!isShort || counted <= 10)
    if (counted > 10) return
    short += isShort ? 1 : 0
    if (isDeepStrictEqual(filter.id, { eq: 'x' })) return // a single row, looked up by its id: sorting it costs nothing
    for (const compiled of isShort ? [compileRead, compileDeepRead, compileCountedRead] : [compileCountedRead]) {
      const { sql } = compiled(plan, layout, false, sqlite)
      const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]
      const details = steps.map(({ detail }) => detail).join('\n')
      const context = `${JSON.stringify(request)}\n${sql}\n${details}`
      assert.doesNotMatch(details, /TEMP B-TREE/, context)
      for (const name of Object.keys(filter)) {
        const column = new RegExp(`"${name}"\\)? (=|<|>=) \\(?\\?`) // a text is compared with its key
        const isCounted = column.test(sql.slice(sql.indexOf('CASE WHEN'), sql.indexOf(countMissFunction)))
        assert.ok(isCounted || new RegExp(`${name}\\)?[=<>]\\(?\\?`).test(details), context)
      }
    }
  })
  fc.assert(property, { numRuns: 1500, seed: 1 })
  assert.ok(short > 50)
  database.close()
})
