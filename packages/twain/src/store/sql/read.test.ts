import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type PageRequest, planMany, planOne } from '../plan.fixture.ts'
import { onEachStore, openTestStore, type TestStore } from '../store.fixture.ts'

const sdl = `
type User { id: ID! name: String! posts: [Post!]! @relation(inverse: "author") profile: Profile @relation(inverse: "user") likes: [Thing!]! }
type Profile { id: ID! bio: String user: User! @unique }
type Post { id: ID! title: String! author: User tags: [Tag!]! about: Thing }
type Tag { id: ID! label: String! posts: [Post!]! }
union Thing = User | Post
interface Named { id: ID! name: String }
type City implements Named { id: ID! name: String! }
type River implements Named { id: ID! name: String length: Int }
`

onEachStore('a read is one statement', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(sdl, { on })
    await store.replace('User', 'ann', { name: 'Ann' })
    await store.replace('User', 'bob', { name: 'Bob' })
    await store.replace('Profile', 'p', { bio: 'writes', user: 'ann' })
    await store.replace('Tag', 'x', { label: 'X' })
    await store.replace('Tag', 'y', { label: 'Y' })
    await store.replace('Post', 'one', { title: 'One', author: 'ann', tags: ['x', 'y'], about: 'bob' })
    await store.replace('Post', 'two', { title: 'Two', author: 'ann', tags: ['x'], about: 'one' })
    await store.replace('Post', 'three', { title: 'Three' })
    await store.update('User', 'ann', { likes: ['bob', 'one', 'two'] })
    await store.replace('City', 'c', { name: 'Rome' })
    await store.replace('River', 'r', { name: null, length: 405 })
    await store.replace('River', 's', { name: 'Po', length: 652 })
  })
  after(() => store.close())

  async function gives(type: string, request: PageRequest, sql: string, rows: unknown): Promise<void> {
    assert.equal(store.sql(planMany(store.model, type, request)), sql)
    assert.deepEqual(await store.many<unknown>(type, request), rows)
  }

  test('one row by its id, with its version', async () => {
    const boundPlan = planOne(store.model, 'User', 'ann', ['id', 'name', '_version', '__typename'])
    assert.equal(
      store.sql(boundPlan),
      `SELECT json_object('id', t1."id", 'name', t1."name", '_version', t1."_version", '__typename', 'User'), t1."_version" FROM "User" AS t1 WHERE t1."id" = ?1`,
    )
    assert.deepEqual(await store.run(boundPlan), {
      kind: 'one',
      text: '{"id":"ann","name":"Ann","_version":2,"__typename":"User"}',
      version: 2,
    })
    assert.deepEqual(await store.run(planOne(store.model, 'User', 'none')), { kind: 'one', text: null, version: 0 })
  })

  test('a list by offset', async () => {
    await gives(
      'Post',
      { select: ['title'], limit: 2, offset: 1 },
      `SELECT (SELECT json_group_array(json_object('title', t1."title")) FROM (SELECT t1."title" FROM "Post" AS t1 WHERE TRUE ORDER BY t1."id" ASC LIMIT CAST(?1 AS INTEGER) OFFSET ?2) AS t1), 1, 0, NULL`,
      [{ title: 'Three' }, { title: 'Two' }],
    )
  })

  test('whether more rows follow, and the total, only on request', async () => {
    const boundPlan = planMany(store.model, 'Post', { select: ['id'], limit: 2, total: true })
    assert.equal(
      store.sql(boundPlan, true),
      `SELECT (SELECT json_group_array(json_object('id', t1."id")) FROM (SELECT t1."id" FROM "Post" AS t1 WHERE TRUE ORDER BY t1."id" ASC LIMIT CAST(?1 AS INTEGER) OFFSET ?2) AS t1), 1, ` +
        `EXISTS (SELECT 1 FROM (SELECT 1 FROM "Post" AS t2 WHERE TRUE LIMIT 1 OFFSET CAST(?1 AS INTEGER) + ?2)), (SELECT count(*) FROM "Post" AS t3 WHERE TRUE)`,
    )
    assert.deepEqual(await store.run(boundPlan, { more: true }), {
      kind: 'many',
      text: '[{"id":"one"},{"id":"three"}]',
      more: true,
      total: 3,
    })
    const last = planMany(store.model, 'Post', { select: ['id'], limit: 2, offset: 1 })
    assert.equal(((await store.run(last, { more: true })) as { more: boolean }).more, false)
  })

  test('a reference, and its id alone, which reads no other table', async () => {
    await gives(
      'Post',
      { select: ['who:author', { author: ['name'] }] },
      `SELECT (SELECT json_group_array(json_object('who', t1."author", 'author', (SELECT json_object('name', t2."name") FROM "User" AS t2 WHERE t2."id" = t1."author"))) ` +
        `FROM (SELECT t1."author" FROM "Post" AS t1 WHERE TRUE ORDER BY t1."id" ASC LIMIT CAST(?1 AS INTEGER) OFFSET ?2) AS t1), 1, 0, NULL`,
      [
        { who: 'ann', author: { name: 'Ann' } },
        { who: null, author: null },
        { who: 'ann', author: { name: 'Ann' } },
      ],
    )
  })

  test('the other side of a one-to-one', async () => {
    await gives(
      'User',
      { select: ['which:profile', { profile: ['bio'] }] },
      `SELECT (SELECT json_group_array(json_object('which', (SELECT t2."id" FROM "Profile" AS t2 WHERE t2."user" = t1."id"), ` +
        `'profile', (SELECT json_object('bio', t3."bio") FROM "Profile" AS t3 WHERE t3."user" = t1."id"))) ` +
        `FROM (SELECT t1."id" FROM "User" AS t1 WHERE TRUE ORDER BY t1."id" ASC LIMIT CAST(?1 AS INTEGER) OFFSET ?2) AS t1), 1, 0, NULL`,
      [
        { which: 'p', profile: { bio: 'writes' } },
        { which: null, profile: null },
      ],
    )
  })

  test('a list inside a row, with its own filter, order and page', async () => {
    await gives(
      'User',
      {
        select: [
          'name',
          { posts: { select: ['title'], where: { title: { ne: 'None' } }, order: ['-title'], limit: 1 } },
        ],
      },
      `SELECT (SELECT json_group_array(json_object('name', t1."name", 'posts', ` +
        `(SELECT json_group_array(json_object('title', t2."title")) FROM (SELECT t2."title" FROM "Post" AS t2 WHERE t2."author" = t1."id" AND t2."title" IS DISTINCT FROM ?3 ` +
        `ORDER BY t2."key of title" DESC, t2."title" DESC, t2."id" DESC LIMIT CAST(?1 AS INTEGER) OFFSET ?2) AS t2))) ` +
        `FROM (SELECT t1."name", t1."id" FROM "User" AS t1 WHERE TRUE ORDER BY t1."id" ASC LIMIT CAST(?4 AS INTEGER) OFFSET ?5) AS t1), 1, 0, NULL`,
      [
        { name: 'Ann', posts: [{ title: 'Two' }] },
        { name: 'Bob', posts: [] },
      ],
    )
  })

  test('linked rows from both sides, in the order of the link’s index', async () => {
    await gives(
      'Post',
      { select: [{ tags: ['label'] }] },
      `SELECT (SELECT json_group_array(json_object('tags', (SELECT json_group_array(json_object('label', t2."label")) FROM ` +
        `(SELECT t2."label" FROM "Post_tags" AS t3 JOIN "Tag" AS t2 ON t2."id" = t3."right_id" WHERE t3."left_id" = t1."id" ORDER BY t3."right_id" ASC LIMIT CAST(?1 AS INTEGER) OFFSET ?2) AS t2))) ` +
        `FROM (SELECT t1."id" FROM "Post" AS t1 WHERE TRUE ORDER BY t1."id" ASC LIMIT CAST(?3 AS INTEGER) OFFSET ?4) AS t1), 1, 0, NULL`,
      [{ tags: [{ label: 'X' }, { label: 'Y' }] }, { tags: [] }, { tags: [{ label: 'X' }] }],
    )
    assert.deepEqual(await store.many('Tag', { select: ['label', { posts: ['title'] }] }), [
      { label: 'X', posts: [{ title: 'One' }, { title: 'Two' }] },
      { label: 'Y', posts: [{ title: 'One' }] },
    ])
  })

  test('a reference to one of several types', async () => {
    await gives(
      'Post',
      { select: ['which:about', { about: { byType: { User: ['name'], Post: ['title', '__typename'] } } }] },
      `SELECT (SELECT json_group_array(json_object('which', t1."about_type" || ':' || t1."about", 'about', CASE t1."about_type" ` +
        `WHEN 'User' THEN (SELECT json_object('name', t2."name") FROM "User" AS t2 WHERE t2."id" = t1."about") ` +
        `WHEN 'Post' THEN (SELECT json_object('title', t3."title", '__typename', 'Post') FROM "Post" AS t3 WHERE t3."id" = t1."about") END)) ` +
        `FROM (SELECT t1."about", t1."about_type" FROM "Post" AS t1 WHERE TRUE ORDER BY t1."id" ASC LIMIT CAST(?1 AS INTEGER) OFFSET ?2) AS t1), 1, 0, NULL`,
      [
        { which: 'User:bob', about: { name: 'Bob' } },
        { which: null, about: null },
        { which: 'Post:one', about: { title: 'One', __typename: 'Post' } },
      ],
    )
  })

  test('a list over an interface, each row of its own type, those without the key last', async () => {
    await gives(
      'Named',
      { byType: { City: ['name'], River: ['name', 'length'] }, order: ['name'] },
      `SELECT (SELECT json_group_array(CASE t1.type WHEN 'City' THEN (SELECT json_object('name', t2."name") FROM "City" AS t2 WHERE t2."id" = t1.id) ` +
        `WHEN 'River' THEN (SELECT json_object('name', t3."name", 'length', t3."length") FROM "River" AS t3 WHERE t3."id" = t1.id) END) FROM (SELECT * FROM (` +
        `SELECT 'City' AS type, t4."id" AS id, (t4."key of name" || char(0) || t4."name") AS k0, t4."id" AS k1, 'City' AS k2 FROM (SELECT t4."name", t4."key of name", t4."id" FROM "City" AS t4 WHERE TRUE ORDER BY t4."key of name" ASC NULLS LAST, t4."name" ASC, t4."id" ASC, 'City' ASC LIMIT CAST(?1 AS INTEGER) + ?2) AS t4 UNION ALL ` +
        `SELECT 'River' AS type, t5."id" AS id, (t5."key of name" || char(0) || t5."name") AS k0, t5."id" AS k1, 'River' AS k2 FROM (SELECT t5."name", t5."key of name", t5."id" FROM "River" AS t5 WHERE TRUE ORDER BY t5."key of name" ASC NULLS LAST, t5."name" ASC, t5."id" ASC, 'River' ASC LIMIT CAST(?1 AS INTEGER) + ?2) AS t5) ` +
        `ORDER BY k0 ASC NULLS LAST, k1 ASC, k2 ASC LIMIT CAST(?1 AS INTEGER) OFFSET ?2) AS t1), 1, 0, NULL`,
      [{ name: 'Po', length: 652 }, { name: 'Rome' }, { name: null, length: 405 }],
    )
    const few = { byType: { City: ['id'], River: ['id'] }, order: ['-name'], limit: 2, offset: 1 }
    assert.deepEqual(await store.many('Named', few), [{ id: 's' }, { id: 'r' }])
  })

  test('linked rows of several types', async () => {
    const byType = { User: ['name'], Post: ['title'] }
    assert.deepEqual(await store.one('User', 'ann', [{ likes: { byType } }]), {
      likes: [{ name: 'Bob' }, { title: 'One' }, { title: 'Two' }],
    })
    const within = { of: 'User', field: 'likes', id: 'ann' }
    const page = { within, byType, where: { id: { ne: 'bob' } }, limit: 1, total: true as const }
    const answer = await store.run(planMany(store.model, 'Thing', page), { more: true })
    assert.deepEqual(answer, { kind: 'many', text: '[{"title":"One"}]', more: true, total: 2 })
  })

  test('the list of one row, which must exist', async () => {
    const within = { of: 'User', field: 'posts', id: 'ann' }
    await gives(
      'Post',
      { within, select: ['title'] },
      `SELECT (SELECT json_group_array(json_object('title', t1."title")) FROM (SELECT t1."title" FROM "Post" AS t1 WHERE t1."author" = ?1 ORDER BY t1."id" ASC LIMIT CAST(?2 AS INTEGER) OFFSET ?3) AS t1), ` +
        `EXISTS (SELECT 1 FROM "User" AS t2 WHERE t2."id" = ?1), 0, NULL`,
      [{ title: 'One' }, { title: 'Two' }],
    )
    assert.deepEqual(await store.many('Post', { within: { ...within, id: 'bob' } }), [])
    await assert.rejects(store.many('Post', { within: { ...within, id: 'none' } }), {
      code: 'NOT_FOUND',
      message: 'There is no such User.',
    })
  })

  test('three levels down and back up again', async () => {
    const select = [{ author: ['name', { posts: { select: [{ tags: ['label', { posts: ['id'] }] }], limit: 1 } }] }]
    assert.deepEqual(await store.one('Post', 'two', select), {
      author: {
        name: 'Ann',
        posts: [
          {
            tags: [
              { label: 'X', posts: [{ id: 'one' }, { id: 'two' }] },
              { label: 'Y', posts: [{ id: 'one' }] },
            ],
          },
        ],
      },
    })
  })
})
