import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operationOf } from '../document/operation.ts'
import type { Data } from '../document/selection.ts'
import { Cache } from './cache.ts'
import { type CachedList, joiner } from './join-lists.ts'

const ask = (text: string) => operationOf(text).ask({})
const post = (id: string, author = 'u1') => ({ __typename: 'Post', id, author: { __typename: 'User', id: author } })
const create = ask('mutation { createPost { id author { id } } }')

describe('new rows in lists', () => {
  test('stand where the type says, in lists, in connections, and in those of the rows that they refer to', () => {
    const cache = new Cache()
    const asked: CachedList[] = []
    const join = joiner(cache, {
      Post: (_, list) => {
        asked.push(list)
        return list.args.status === 'OLD' ? null : list.owner === 'User' ? 'end' : 'start'
      },
    })
    const all = ask('{ posts { id } }')
    const old = ask('{ posts(status: OLD) { id } }')
    const pages = ask(
      '{ postsConnection(first: 2) { totalCount edges { cursor node { id } } pageInfo { hasNextPage } } }',
    )
    const users = ask('{ users { id posts { id } } }')
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
    const tell = (data: Data) =>
      cache.transact(() => {
        const after = join(create, data)
        cache.write(create, data, { isBorrowed: true })
        after()
      })
    tell({ createPost: post('p2') })
    tell({ createPost: post('p2') })
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
      new Set(asked.map(({ field, owner }) => `${owner}.${field}`)),
      new Set(['null.posts', 'null.postsConnection', 'User.posts']),
    )
    // What is only hoped for joins too, and leaves again.
    const takeBack = cache.layer(() => tell({ createPost: post('p3') }))
    assert.deepEqual(ids(cache.read(all)?.posts), ['p3', 'p2', 'p1'])
    takeBack()
    assert.deepEqual(ids(cache.read(all)?.posts), ['p2', 'p1'])
  })

  test('one that is hoped for under its own id stays when an event tells of it before the answer', () => {
    const cache = new Cache()
    const join = joiner(cache, { Post: () => 'end' })
    const all = ask('{ posts { id } }')
    cache.write(all, { posts: [] })
    const tell = () =>
      cache.transact(() => {
        const after = join(create, { createPost: post('p1') })
        cache.write(create, { createPost: post('p1') }, { isBorrowed: true })
        after()
      })
    const shown = () => (cache.read(all)!.posts as { id: string }[]).map(({ id }) => id)
    const takeBack = cache.layer(tell)
    tell()
    assert.deepEqual(shown(), ['p1'])
    takeBack()
    assert.deepEqual(shown(), ['p1'])
    tell()
    assert.deepEqual(shown(), ['p1'])
  })
})
