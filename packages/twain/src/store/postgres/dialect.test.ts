import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { loadModel } from '#model'
import { guardOf, type PageRequest, planMany, planOne, resourceOf } from '../plan.fixture.ts'
import { compileVirtualRowCheck } from '../sql/row-check.ts'
import { openTestStore, type TestStore } from '../store.fixture.ts'
import { layOut } from '../tables/layout.ts'
import { noStorageCodes } from '../tables/storage-codes.ts'
import { encodeForPostgres, postgres } from './dialect.ts'

const sdl = `
type User { id: ID! name: String! posts: [Post!]! @relation(inverse: "author") }
type Post {
  id: ID! title: String rating: Float count: Int done: Boolean price: Decimal at: DateTime
  author: User about: Any words: [String!] place: Place colour: Colour
}
type Place { city: String at: Point height: Float price: Decimal tags: [String!] }
type Point { x: Float }
scalar Colour
union Any = User | Post
`

describe('a statement of PostgreSQL', () => {
  let onPostgres: TestStore
  let sqlite: TestStore
  before(async () => {
    onPostgres = await openTestStore(sdl, { on: 'postgres' })
    sqlite = await openTestStore(sdl)
    for (const store of [onPostgres, sqlite]) {
      await store.replace('User', 'ann', { name: 'Ann' })
      for (const [index, title] of ['Zoe', 'adam', 'Ärger', null, '😀', '\uffee'].entries()) {
        const place = { city: title, height: 1e300, price: `${index}.50`, tags: ['x', 'y'], at: { x: -0 } }
        await store.replace('Post', `p${index}`, {
          title,
          rating: [1, -2.5, 1e300, 1e-7, 0.1 + 0.2, null][index],
          count: index - 2,
          done: index % 2 === 0,
          price: String(index * 10 - 5),
          at: `2026-01-0${index + 1}T00:00:00.000Z`,
          author: 'ann',
          about: index === 0 ? 'ann' : 'p0',
          words: ['a', `${index}`],
          place: index === 3 ? null : place,
          colour: { r: index },
        })
      }
    }
  })
  after(async () => {
    await onPostgres.close()
    await sqlite.close()
  })

  const sqlOf = (boundPlan: Parameters<TestStore['sql']>[0], more = false): string =>
    onPostgres.sql(boundPlan, more, 'postgres')
  const answer = (json: string): string =>
    `(SELECT CASE WHEN octet_length(a) <= 16777216 THEN a END FROM (SELECT ${json}::text AS a OFFSET 0) AS a)`
  const conditionOf = (where: unknown): string =>
    /WHERE (.*) ORDER BY t1\."id"/.exec(sqlOf(planMany(onPostgres.model, 'Post', { where, select: ['id'] })))![1]!

  test('a row by its id', () => {
    assert.equal(
      sqlOf(planOne(onPostgres.model, 'User', 'ann', ['id', 'name', '_version', '__typename'])),
      `SELECT ${answer(`(SELECT row_to_json("{}") FROM (SELECT t1."id" AS "id", t1."name" AS "name", t1."_version" AS "_version", 'User' AS "__typename") AS "{}")`)}, ` +
        `t1."_version" FROM "User" AS t1 WHERE t1."id" = $1::text`,
    )
  })

  const items =
    `(SELECT row_to_json("{}") FROM (SELECT t1."title" AS "title", ` +
    `(SELECT row_to_json("{}") FROM (SELECT t2."name" AS "name" FROM "User" AS t2 WHERE t2."id" = t1."author") AS "{}") AS "author" ` +
    `FROM (SELECT t1."title", t1."author" FROM "Post" AS t1 WHERE TRUE ORDER BY t1."id" ASC LIMIT`

  test('a list with references', () => {
    assert.equal(
      sqlOf(planMany(onPostgres.model, 'Post', { select: ['title', { author: ['name'] }] })),
      `SELECT CASE WHEN octet_length(a) <= 16777216 THEN a END, 1, 0, NULL ` +
        `FROM (SELECT '[' || coalesce(string_agg(coalesce(value::text, 'null'), ','), '') || ']' AS a ` +
        `FROM ${items} $1::bigint OFFSET $2::bigint) AS t1) AS "{}") AS _(value) OFFSET 0) AS a`,
    )
  })

  test('a list reads the row behind it to tell whether more rows follow', () => {
    assert.equal(
      sqlOf(planMany(onPostgres.model, 'Post', { select: ['title', { author: ['name'] }], total: true }), true),
      `SELECT CASE WHEN octet_length(a) <= 16777216 THEN a END, 1, more, (SELECT count(*) FROM "Post" AS t3 WHERE TRUE) ` +
        `FROM (SELECT '[' || array_to_string(items[1:($1::bigint)::integer], ',', 'null') || ']' AS a, cardinality(items) > $1::bigint AS more ` +
        `FROM (SELECT ARRAY(SELECT value::text FROM ${items} $1::bigint + 1 OFFSET $2::bigint) AS t1) AS "{}") AS _(value)) AS items OFFSET 0) AS i OFFSET 0) AS a`,
    )
  })

  test('a list with rows in its items looks for the row behind it apart', () => {
    const sql = sqlOf(planMany(onPostgres.model, 'User', { select: ['name', { posts: ['title'] }] }), true)
    assert.match(sql, /, 1, EXISTS \(SELECT 1 FROM \(SELECT 1 FROM "User" AS t\d WHERE TRUE LIMIT 1 OFFSET/)
    assert.doesNotMatch(sql, / \+ 1 OFFSET/)
  })

  test('lists of every size and offset tell whether more rows follow, as on SQLite', async () => {
    const requests: [string, PageRequest][] = [
      ['Post', { select: ['id', { author: ['name'] }], order: ['-count'] }],
      ['Post', { select: ['id', 'tags:words', 'place', 'colour'], where: { done: { eq: true } } }],
      ['Post', { select: ['id', { author: [{ posts: ['id'] }] }] }],
      ['User', { select: ['name', { posts: ['id'] }] }],
      ['Any', { byType: { User: ['name'], Post: ['title'] } }],
      ['Post', { select: ['title'], within: { of: 'User', field: 'posts', id: 'ann' } }],
    ]
    for (const [of, request] of requests) {
      for (let limit = 0; limit <= 8; limit++) {
        for (const offset of [0, 1, 5, 6, 9]) {
          const page = { ...request, limit, offset }
          const results = [onPostgres, sqlite].map((store) =>
            store.run(planMany(store.model, of, page), { more: true }),
          )
          const [ours, theirs] = await Promise.all(results)
          assert.deepEqual(ours, theirs, JSON.stringify([of, page]))
        }
      }
    }
  })

  test('a connection reads its rows once, and computes the keys of its cursors', () => {
    const request: PageRequest = { first: 2, select: ['title'], order: ['-id'], connection: ['edges', 'pageInfo'] }
    const sql = sqlOf(planMany(onPostgres.model, 'Post', request))
    assert.equal(sql.split('FROM "Post"').length, 2, sql)
    assert.ok(sql.includes('array_agg(value::text) AS items, count(*)::integer AS n, array_agg(k0) AS k0'), sql)
    assert.ok(sql.includes('to_json(k0[least(n, ($1::bigint)::integer)])'), sql)
    assert.doesNotMatch(sql, /MATERIALIZED/)
  })

  test('a connection with rows in its nodes reads the row behind it without them', () => {
    const sql = sqlOf(planMany(onPostgres.model, 'User', { first: 2, select: ['name', { posts: ['title'] }] }))
    assert.match(sql, / FROM \(SELECT \(WITH t\d AS MATERIALIZED/)
  })

  test('connections of every size, order and selection are those of SQLite', async () => {
    const requests: [string, PageRequest][] = [
      ...[['-count'], ['title'], ['-title', 'done'], ['done', '-price'], ['-at'], ['author.name', '-count'], []].map(
        (order): [string, PageRequest] => ['Post', { select: ['id', 'title', { author: ['name'] }], order }],
      ),
      ['Post', { select: [`${'k'.repeat(64)}:title`, 'words', 'place', 'colour'], order: ['-count'] }],
      ['Post', { select: [], order: ['count'] }],
      ['Post', { select: ['id'], distinct: ['done'] }],
      ['Post', { select: ['id'], where: { id: { eq: 'none' } } }],
      ['Post', { select: ['title'], within: { of: 'User', field: 'posts', id: 'ann' } }],
      ['Post', { select: ['id', { author: [{ posts: ['id'] }] }] }],
      ['Any', { byType: { User: ['name'], Post: ['title'] } }],
    ]
    for (const [of, request] of requests) {
      for (const leftOut of [[], ['cursor'], ['node'], ['pageInfo'], ['startCursor', 'cursor'], ['edges']]) {
        const planOn = ({ model }: TestStore, first: number, after: string | undefined) => {
          const boundPlan = planMany(model, of, { ...request, first, ...(after !== undefined && { after }) })
          const { shape } = boundPlan.plan
          if (shape.kind !== 'connection') throw new Error('first makes a connection')
          const isKept = ({ kind }: { kind: string }) => !leftOut.includes(kind)
          shape.selections = shape.selections.filter(isKept)
          for (const one of shape.selections) {
            if (one.kind === 'edges') one.selections = one.selections.filter(isKept)
            if (one.kind === 'pageInfo') one.selections = one.selections.filter(isKept)
          }
          shape.selections.push({ kind: 'constant', key: 'it\u2019s', value: `"Post" isn't` })
          return boundPlan
        }
        for (const first of [0, 1, 4, 6, 9]) {
          let cursor: string | undefined
          for (let page = 0; page < 3; page++) {
            const [own, expected] = [onPostgres, sqlite].map((store) => store.run(planOn(store, first, cursor)))
            const { text } = (await expected) as { text: string }
            assert.deepEqual(await own, await expected, JSON.stringify([of, request, leftOut, first, page]))
            cursor = (JSON.parse(text) as Partial<Page>).pageInfo?.endCursor ?? undefined
            if (cursor === undefined) break
          }
        }
      }
    }
  })

  test('filters, each value with its type', () => {
    const conditions: [where: unknown, sql: string][] = [
      [{ count: { eq: 1 } }, 't1."count" = $3::integer'],
      [{ rating: { gte: 1 } }, 't1."rating" >= $3::double precision'],
      [{ done: { ne: true } }, 't1."done" IS DISTINCT FROM $3::boolean'],
      [{ price: { lt: '9' } }, 't1."price" < $3::text'],
      [{ title: { in: ['a'] } }, 't1."title" = ANY($3::text[])'],
      [{ count: { notIn: [1] } }, '(t1."count" = ANY($3::integer[])) IS NOT TRUE'],
      [{ title: { contains: '%' } }, 'strpos(t1."title", $3::text) > 0'],
      [{ title: { startsWith: 'a' } }, 'starts_with(t1."title", $3::text)'],
      [{ title: { endsWith: 'a' } }, 'right(t1."title", length($3::text)) = $3::text'],
      [{ title: { ieq: 'É' } }, 'twain_fold_1(t1."title") = $3::text'],
      [{ title: { istartsWith: 'a' } }, 'starts_with(twain_fold_1(t1."title"), $3::text)'],
      [
        { place: { city: { icontains: 'a' } } },
        `strpos(twain_fold_1(((t1."place" #>> '{city}') COLLATE "C")), $3::text) > 0`,
      ],
      [
        { words: { contains: 'a' } },
        'EXISTS (SELECT 1 FROM json_array_elements_text(t1."words") AS e(e) WHERE (e COLLATE "C") = $3::text)',
      ],
      [{ words: { eq: ['a'] } }, 't1."words"::text = $3::text'],
      [{ colour: { eq: 1 } }, 't1."colour"::text = $3::text'],
      [{ title: { gte: 'a' } }, '(t1."key of title", t1."title") >= ($3::text, $4::text)'],
      [
        { place: { city: { lt: 'a' } } },
        `(CASE WHEN ((t1."place" #>> '{city}') COLLATE "C") IS NOT NULL THEN ` +
          `ARRAY[(left(twain_fold_1(left(((t1."place" #>> '{city}') COLLATE "C"), 32)), 32) COLLATE "C"), ((t1."place" #>> '{city}') COLLATE "C")] ` +
          `COLLATE "C" END) < $3::text[]`,
      ],
      [{ place: { at: { x: { eq: 1 } } } }, `(t1."place" #>> '{at,x}')::double precision = $3::double precision`],
      [{ place: { price: { gt: '1' } } }, `(t1."place" #>> '{price}')::numeric > $3::numeric`],
      [
        { place: { tags: { contains: 'x' } } },
        `EXISTS (SELECT 1 FROM json_array_elements_text(nullif((t1."place" #> '{tags}')::text, 'null')::json) AS e(e) WHERE (e COLLATE "C") = $3::text)`,
      ],
    ]
    for (const [where, sql] of conditions) assert.equal(conditionOf(where), sql)
  })

  test('a row that is not written yet has the types and the order of its columns', () => {
    const model = loadModel(sdl, 'test.graphql')
    const guard = guardOf(model, 'Post', {
      and: [{ title: { lt: 'x' } }, { done: { eq: true } }, { author: { isNull: false } }],
    })
    const { sql } = compileVirtualRowCheck(guard, resourceOf(model, 'Post'), layOut(model, null).layout, postgres)
    assert.equal(
      sql,
      'SELECT 1 FROM (SELECT $3::text COLLATE "C" AS "title", $4::boolean AS "done", $5::text COLLATE "C" AS "author") AS t1 ' +
        'WHERE ((CASE WHEN t1."title" IS NOT NULL THEN ARRAY[(left(twain_fold_1(left(t1."title", 32)), 32) COLLATE "C"), t1."title"] COLLATE "C" END) ' +
        '< $1::text[] AND t1."done" = $2::boolean AND t1."author" IS NOT NULL)',
    )
  })

  test('returns the rows of SQLite, in the same order, with the same cursors', async () => {
    const orders = ['title', 'rating', 'count', 'done', 'price', 'at', 'id']
    const select = ['id', 'title', 'rating', 'count', 'done', 'price', 'at', 'words', 'place', 'colour', 'about']
    for (const key of orders.flatMap((order) => [order, `-${order}`])) {
      let cursor: string | null = null
      do {
        const request: PageRequest = { order: [key], first: 2, after: cursor, select }
        const [own, expected] = [await onPostgres.many<Page>('Post', request), await sqlite.many<Page>('Post', request)]
        assert.deepEqual(own, expected, `by ${key}`)
        cursor = own.pageInfo.hasNextPage ? own.pageInfo.endCursor : null
      } while (cursor !== null)
    }
    const union: PageRequest = { byType: { User: ['name'], Post: ['title'] }, first: 3 }
    assert.deepEqual(await onPostgres.many<Page>('Any', union), await sqlite.many<Page>('Any', union))
  })

  test('texts are in the order of their folded forms, whatever the collation of the database', async () => {
    const titles = (await onPostgres.many('Post', { order: ['title'], select: ['title'] })).map(({ title }) => title)
    assert.deepEqual(titles, ['adam', 'Ärger', 'Zoe', '\uffee', '😀', null])
    const inside = await onPostgres.many('Post', { where: { place: { city: { gt: 'b' } } }, select: ['id'] })
    assert.deepEqual(inside, [{ id: 'p0' }, { id: 'p4' }, { id: 'p5' }])
  })

  test('the text of a result without floats is that of SQLite', async () => {
    const select = ['title', 'count', 'done', 'words', 'colour', { author: ['name'] }]
    const [own, expected] = [onPostgres, sqlite].map((store) => store.run(planMany(store.model, 'Post', { select })))
    assert.deepEqual(await own, await expected)
  })

  test('response keys that are too long for a column name only change how that object is built', async () => {
    const key = 'k'.repeat(64)
    const select = [`${key}:title`, 'rating', 'author:author', { about: { byType: { User: ['name'], Post: ['id'] } } }]
    const sql = sqlOf(planOne(onPostgres.model, 'Post', 'p3', select))
    assert.match(sql, /\(SELECT \('\{' \|\| \(SELECT '"k+":' \|\| coalesce\(to_json\(o\.c0\)::text, 'null'\)/)
    assert.match(sql, /row_to_json\("\{\}"\) FROM \(SELECT t\d\."name" AS "name"/)
    assert.deepEqual(await onPostgres.one('Post', 'p3', select), {
      [key]: null,
      rating: 1e-7,
      author: 'ann',
      about: { id: 'p0' },
    })
  })
})

test('lists are bound as arrays, whatever their texts contain', () => {
  const type = { kind: 'scalar', name: 'String' } as const
  assert.equal(
    encodeForPostgres(['a', 'b"\\,{}', null], { kind: 'columns', type, codes: noStorageCodes }),
    '{"a","b\\"\\\\,{}",NULL}',
  )
  assert.equal(encodeForPostgres([], { kind: 'ids', type: 'Post' }), '{}')
  assert.equal(encodeForPostgres(['Post:x'], { kind: 'ids', type: 'Post' }), '{"x"}')
  assert.equal(
    encodeForPostgres(false, { kind: 'column', type: { kind: 'scalar', name: 'Boolean' }, codes: noStorageCodes }),
    'false',
  )
})

interface Page {
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}
