// Word search through the store, on each database: what is found, and that writes update it.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { onEachStore, openTestStore, type TestStore } from '../store.fixture.ts'

const sdl = `
  type Author { id: ID! name: String! @search posts: [Post!]! }
  type Post { id: ID! title: String! @search body: String @search rank: Int author: Author @relation(onDelete: CASCADE) }
  type Tag { id: ID! label: String }
  union Found = Author | Post | Tag
`

onEachStore('word search', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(sdl, { on })
    await store.replace('Author', 'a', { name: 'Zoë Straße' })
    await store.replace('Post', 'p1', { title: 'Hello, World!', body: 'naïve CAFÉ', rank: 2, author: 'a' })
    await store.replace('Post', 'p2', { title: 'Hello again', body: 'the world is 東京', rank: 1, author: 'a' })
    await store.replace('Post', 'p3', { title: 'Other', rank: 3 })
    await store.replace('Tag', 't', { label: 'hello world' })
  })
  after(() => store.close())

  const find = async (search: string, type = 'Post') =>
    (
      await store.many(type, {
        search,
        ...(type === 'Found' ? { byType: { Author: ['id'], Post: ['id'], Tag: ['id'] } } : { select: ['id'] }),
      })
    ).map(({ id }) => id)

  test('a row must have all words, in any field, the last one as a prefix', async () => {
    assert.deepEqual(await find('hello world'), ['p1', 'p2'])
    assert.deepEqual(await find('world hello'), ['p1', 'p2'])
    assert.deepEqual(await find('HELL'), ['p1', 'p2'])
    assert.deepEqual(await find('hell world'), [])
    assert.deepEqual(await find('cafe hel'), ['p1'])
    assert.deepEqual(await find('京'), ['p2'])
    assert.deepEqual(await find('strasse zoe', 'Author'), ['a'])
    assert.deepEqual(await find('nothing'), [])
  })

  test('a search without words finds all rows', async () => {
    for (const text of ['', ' ', '!?', '\0']) assert.deepEqual(await find(text), ['p1', 'p2', 'p3'])
  })

  test('a search combines with filters, orders, pages, totals and lists', async () => {
    const page = await store.many<{ edges: { node: object }[]; pageInfo: { endCursor: string }; totalCount: number }>(
      'Post',
      {
        search: 'hello',
        order: ['rank'],
        first: 1,
        select: ['id'],
      },
    )
    assert.equal(page.totalCount, 2)
    assert.deepEqual(
      page.edges.map(({ node }) => node),
      [{ id: 'p2' }],
    )
    const next = await store.many<typeof page>('Post', {
      search: 'hello',
      order: ['rank'],
      first: 1,
      after: page.pageInfo.endCursor,
      select: ['id'],
    })
    assert.deepEqual(
      next.edges.map(({ node }) => node),
      [{ id: 'p1' }],
    )
    assert.deepEqual(await store.many('Post', { search: 'hello', where: { rank: { gt: 1 } }, select: ['id'] }), [
      { id: 'p1' },
    ])
    assert.deepEqual(
      await store.many('Post', { search: 'again', within: { field: 'posts', of: 'Author', id: 'a' }, select: ['id'] }),
      [{ id: 'p2' }],
    )
    assert.deepEqual(await store.many('Author', { select: ['id', { posts: { search: 'cafe', select: ['id'] } }] }), [
      { id: 'a', posts: [{ id: 'p1' }] },
    ])
  })

  test('over a union each row is found by the fields of its own type', async () => {
    assert.deepEqual(await find('hello', 'Found'), ['p1', 'p2'])
    assert.deepEqual(await find('zoe', 'Found'), ['a'])
  })

  test('writes update the search words', async () => {
    await store.replace('Author', 'b', { name: 'Bob' })
    await store.replace('Post', 'w', { title: 'fresh', body: 'bread', author: 'b' })
    assert.deepEqual(await find('bread fre'), ['w'])
    await store.update('Post', 'w', { body: 'butter' })
    assert.deepEqual(await find('bread'), [])
    assert.deepEqual(await find('fresh butter'), ['w'])
    await store.update('Post', 'w', { rank: 9 })
    assert.deepEqual(await find('fresh butter'), ['w'])
    await store.update('Post', 'w', { body: null })
    assert.deepEqual(await find('butter'), [])
    await store.delete('Author', 'b') // deletes its posts too
    assert.deepEqual(await find('fresh'), [])
    await store.pruneChanges() // or the id of the deleted row could not be used again
    await store.replace('Post', 'w', { title: 'back' })
    assert.deepEqual(await find('fresh'), [])
    assert.deepEqual(await find('back'), ['w'])
    await store.delete('Post', 'w')
  })
})
