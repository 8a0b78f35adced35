import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operationOf } from '../document/operation.ts'
import type { Data } from '../document/selection.ts'
import { Cache, type CachedList } from './cache.ts'
import { createJoiner } from './join-lists.ts'

const bind = (text: string) => operationOf(text).bind({})
const post = (id: string, author = 'u1') => ({ __typename: 'Post', id, author: { __typename: 'User', id: author } })
const create = bind('mutation { createPost { id author { id } } }')

describe('new rows in lists', () => {
  test('join lists and connections, of the root and of the rows that they refer to, where `joins` decides', () => {
    const cache = new Cache()
    const offered: CachedList[] = []
    const join = createJoiner(cache, {
      Post: (_, list) => {
        offered.push(list)
        return list.args.status === 'OLD' ? null : list.owner === 'User' ? 'end' : 'start'
      },
    })
    const all = bind('{ posts { id } }')
    const old = bind('{ posts(status: OLD) { id } }')
    const pages = bind(
      '{ postsConnection(first: 2) { totalCount edges { cursor node { id } } pageInfo { hasNextPage } } }',
    )
    const users = bind('{ users { id posts { id } } }')
    const edge = (id: string, cursor: string) => ({ __typename: 'PostEdge', cursor, node: { __typename: 'Post', id } })
    cache.write(all, { posts: [{ __typename: 'Post', id: 'p1' }] })
    cache.write(old, { posts: [] })
    cache.write(pages, {
      postsConnection: {
        __typename: 'PostConnection',
        totalCount: 1,
        edges: [edge('p1', 'c1')],
        pageInfo: { __typename: 'PageInfo', hasNextPage: false },
      },
    })
    cache.write(users, {
      users: ['u1', 'u2'].map((id) => ({ __typename: 'User', id, posts: [] })),
    })
    const write = (data: Data) =>
      cache.transact(() => {
        const after = join(create, data)
        cache.write(create, data, { isBorrowed: true })
        after()
      })
    write({ createPost: post('p2') })
    write({ createPost: post('p2') })
    const ids = (list: unknown) => (list as { id: string }[]).map(({ id }) => id)
    assert.deepEqual(ids(cache.read(all)?.posts), ['p2', 'p1'])
    assert.deepEqual(ids(cache.read(old)?.posts), [])
    const connection = cache.read(pages)?.postsConnection as { totalCount: number; edges: { node: { id: string } }[] }
    assert.deepEqual([connection.totalCount, connection.edges.map(({ node }) => node.id)], [2, ['p2', 'p1']])
    assert.deepEqual(
      (cache.read(users)!.users as { posts: unknown }[]).map(({ posts }) => ids(posts)),
      [['p2'], []],
    )
    assert.deepEqual(
      new Set(offered.map(({ field, owner }) => `${owner}.${field}`)),
      new Set(['null.posts', 'null.postsConnection', 'User.posts']),
    )
    // Optimistic rows join too, and leave again.
    const removeLayer = cache.layer(() => write({ createPost: post('p3') }))
    assert.deepEqual(ids(cache.read(all)?.posts), ['p3', 'p2', 'p1'])
    removeLayer()
    assert.deepEqual(ids(cache.read(all)?.posts), ['p2', 'p1'])
  })

  test('an optimistic row with its final id stays when an event arrives before the response', () => {
    const cache = new Cache()
    const join = createJoiner(cache, { Post: () => 'end' })
    const all = bind('{ posts { id } }')
    cache.write(all, { posts: [] })
    const write = () =>
      cache.transact(() => {
        const after = join(create, { createPost: post('p1') })
        cache.write(create, { createPost: post('p1') }, { isBorrowed: true })
        after()
      })
    const shown = () => (cache.read(all)!.posts as { id: string }[]).map(({ id }) => id)
    const removeLayer = cache.layer(write)
    write()
    assert.deepEqual(shown(), ['p1'])
    removeLayer()
    assert.deepEqual(shown(), ['p1'])
    write()
    assert.deepEqual(shown(), ['p1'])
  })
})
