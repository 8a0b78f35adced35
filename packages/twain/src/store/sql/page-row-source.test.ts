import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { planMany } from '../plan.fixture.ts'
import { onEachStore, openTestStore, type TestStore } from '../store.fixture.ts'

interface Connection {
  edges: { node: Record<string, unknown>; cursor: string }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null; hasPreviousPage: boolean; startCursor: string | null }
  totalCount: number
}

onEachStore('a connection', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(
      `
      type User { id: ID! name: String! posts: [Post!]! }
      type Post { id: ID! title: String author: User! tags: [Tag!]! }
      type Tag { id: ID! label: String! posts: [Post!]! }
      union Any = User | Tag
    `,
      { on },
    )
    await store.replace('User', 'u', { name: 'Ann' })
    await store.replace('User', 'v', { name: 'Bob' })
    await store.replace('Tag', 'u', { label: 'x' })
    for (const id of ['a', 'b', 'c']) await store.replace('Post', id, { title: id, author: 'u', tags: ['u'] })
  })
  after(() => store.close())

  test('is one statement that reads one row more than it shows', async () => {
    const request = { first: 2, select: ['title'], order: ['title'] }
    const keys = 'json_array(t1."title", t1."id")'
    const cursor = `twain_cursor('Post(title~ ASC,id ASC)', ${keys})`
    const shown = '(SELECT * FROM t2 LIMIT CAST(?1 AS INTEGER)) AS t1'
    assert.equal(
      store.sql(planMany(store.model, 'Post', request)),
      `SELECT (WITH t2 AS MATERIALIZED (SELECT t1."title", t1."id" FROM "Post" AS t1 WHERE TRUE ORDER BY t1."key of title" ASC NULLS LAST, t1."title" ASC, t1."id" ASC LIMIT CAST(?1 AS INTEGER) + 1) ` +
        `SELECT json_object('edges', (SELECT json_group_array(json_object('node', json_object('title', t1."title"), 'cursor', ${cursor})) FROM ${shown}), ` +
        `'pageInfo', json_object('hasNextPage', json(iif((SELECT count(*) FROM t2) > CAST(?1 AS INTEGER), 'true', 'false')), ` +
        `'endCursor', twain_cursor('Post(title~ ASC,id ASC)', coalesce((SELECT ${keys} FROM ${shown} LIMIT 1 OFFSET max(CAST(?1 AS INTEGER) - 1, 0)), (SELECT json_group_array(${keys}) -> '$[#-1]' FROM ${shown}))), ` +
        `'hasPreviousPage', json('false'), 'startCursor', (SELECT ${cursor} FROM ${shown} LIMIT 1)), ` +
        `'totalCount', (SELECT count(*) FROM "Post" AS t3 WHERE TRUE))), 1, 0, NULL`,
    )
    const page = await store.many<Connection>('Post', request)
    assert.deepEqual(
      page.edges.map(({ node }) => node),
      [{ title: 'a' }, { title: 'b' }],
    )
    assert.deepEqual(page.pageInfo, {
      hasNextPage: true,
      endCursor: page.edges[1]!.cursor,
      hasPreviousPage: false,
      startCursor: page.edges[0]!.cursor,
    })
    assert.equal(page.totalCount, 3)
  })

  test('continues after its cursor to the end', async () => {
    const first = await store.many<Connection>('Post', { first: 2, order: ['-title'], select: ['id'] })
    const after = first.pageInfo.endCursor
    const second = await store.many<Connection>('Post', { first: 2, after, order: ['-title'], select: ['id'] })
    assert.deepEqual(
      second.edges.map(({ node }) => node.id),
      ['a'],
    )
    assert.equal(second.pageInfo.hasNextPage, false)
    assert.equal(second.pageInfo.hasPreviousPage, true)
    assert.equal(second.totalCount, 3)
  })

  test('has no cursors without rows, and with first: 0 still has whether more rows follow', async () => {
    const empty = await store.many<Connection>('Post', { first: 2, where: { title: { eq: 'z' } } })
    assert.deepEqual(empty, {
      edges: [],
      pageInfo: { hasNextPage: false, endCursor: null, hasPreviousPage: false, startCursor: null },
      totalCount: 0,
    })
    const none = await store.many<Connection>('Post', { first: 0 })
    assert.deepEqual(none.edges, [])
    assert.equal(none.pageInfo.hasNextPage, true)
    assert.equal(none.pageInfo.endCursor, null)
  })

  test('can be nested in a row, for a list and for links', async () => {
    const users = await store.many<{ posts: Connection }[]>('User', {
      select: [{ posts: { first: 1, select: [{ tags: { first: 1, select: ['label'], connection: ['edges'] } }] } }],
    })
    const [ann, bob] = users
    assert.deepEqual(ann!.posts.edges[0]!.node.tags, {
      edges: [{ node: { label: 'x' }, cursor: (ann!.posts.edges[0]!.node.tags as Connection).edges[0]!.cursor }],
    })
    assert.equal(ann!.posts.pageInfo.hasNextPage, true)
    assert.equal(ann!.posts.totalCount, 3)
    assert.deepEqual(bob!.posts.edges, [])
    assert.equal(bob!.posts.totalCount, 0)
  })

  test('over a union distinguishes rows of two types with the same id', async () => {
    const seen: unknown[] = []
    let after: string | null = null
    do {
      const page: Connection = await store.many('Any', {
        first: 1,
        after,
        byType: { User: ['__typename', 'id'], Tag: ['__typename', 'id'] },
      })
      seen.push(...page.edges.map(({ node }) => `${node.__typename}:${node.id}`, { on }))
      assert.equal(page.totalCount, 3)
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
    } while (after !== null)
    assert.deepEqual(seen, ['Tag:u', 'User:u', 'User:v'])
  })
})
