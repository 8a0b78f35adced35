import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operationOf } from '../document/operation.ts'
import { Cache } from './cache.ts'
import { show } from './query-watcher.ts'
import { allPages } from './read.ts'

const text = `query ($first: Int, $after: String, $tag: String) {
  posts(first: $first, after: $after, tag: $tag) { totalCount edges { cursor node { id } } pageInfo { hasNextPage endCursor } }
}`
const bind = (first: number, after?: string, tag?: string) => operationOf(text).bind({ first, after, tag })

/** The page after a cursor in a list of ten, as a server returns it. */
function page(first: number, after = 'c0', total = 10) {
  const from = Number(after.slice(1))
  const numbers = Array.from({ length: Math.min(first, total - from) }, (_, n) => from + n + 1)
  return {
    posts: {
      __typename: 'PostConnection',
      totalCount: total,
      edges: numbers.map((n) => ({
        __typename: 'PostEdge',
        cursor: `c${n}`,
        node: { __typename: 'Post', id: `p${n}` },
      })),
      pageInfo: { __typename: 'PageInfo', hasNextPage: from + first < total, endCursor: `c${numbers.at(-1)}` },
    },
  }
}

describe('connections', () => {
  test('are merged by cursor: each part reads as a server would return it', () => {
    const cache = new Cache()
    cache.write(bind(3), page(3))
    cache.write(bind(3, 'c3'), page(3, 'c3'))
    for (const [first, after] of [[3], [2], [6], [3, 'c3'], [2, 'c1'], [1, 'c5']] as [number, string?][])
      assert.deepEqual(cache.read(bind(first, after)), page(first, after), `${first} after ${after}`)
    for (const [first, after] of [[7], [4, 'c3'], [1, 'c6'], [1, 'c9']] as [number, string?][])
      assert.equal(cache.read(bind(first, after)), undefined, `${first} after ${after}`)
    assert.equal(cache.read(bind(3, undefined, 'other')), undefined)
  })

  test('load in any order, and join when the gap is closed', () => {
    const cache = new Cache()
    cache.write(bind(2, 'c6'), page(2, 'c6'))
    cache.write(bind(3), page(3))
    assert.equal(cache.read(bind(6)), undefined)
    cache.write(bind(3, 'c3'), page(3, 'c3'))
    assert.deepEqual(cache.read(bind(8)), page(8))
    cache.write(bind(5, 'c8'), page(5, 'c8'))
    assert.deepEqual(cache.read(bind(10)), page(10))
    assert.deepEqual(cache.read(bind(99)), page(99))
  })

  test('show all loaded pages after fetchMore, and the same objects where nothing is new', () => {
    const cache = new Cache()
    cache.write(bind(3), page(3))
    const notified: unknown[] = []
    cache.watcher(bind(3), allPages).join({ [show]: (data) => void notified.push(data) })
    const before = cache.read(bind(3), allPages)
    cache.write(bind(3, 'c3'), page(3, 'c3'))
    assert.deepEqual(notified, [page(6)])
    assert.equal(
      (notified[0] as ReturnType<typeof page>).posts.edges[0],
      (before as ReturnType<typeof page>).posts.edges[0],
    )
    cache.write(bind(3), page(3))
    assert.equal(notified.length, 1)
    cache.remove('Post:p2')
    assert.deepEqual(
      (notified[1] as ReturnType<typeof page>).posts.edges.map(({ node }) => node.id),
      ['p1', 'p3', 'p4', 'p5', 'p6'],
    )
  })

  test('drop the pages after a first page that has changed', () => {
    const cache = new Cache()
    cache.write(bind(3), page(3))
    cache.write(bind(3, 'c3'), page(3, 'c3'))
    const fresh = page(3)
    fresh.posts.edges.unshift({ __typename: 'PostEdge', cursor: 'c0', node: { __typename: 'Post', id: 'p0' } })
    fresh.posts.edges.pop()
    fresh.posts.pageInfo.endCursor = 'c2'
    cache.write(bind(3), fresh)
    assert.deepEqual(cache.read(bind(3)), fresh)
    // The page ends where the old one continued, so the pages after it are still valid.
    assert.deepEqual(cache.read(bind(3, 'c2')), page(3, 'c2'))
    const other = page(3)
    other.posts.pageInfo.endCursor = 'x3'
    other.posts.edges[2]!.cursor = 'x3'
    cache.write(bind(3), other)
    assert.equal(cache.read(bind(4)), undefined)
  })

  test('accept a page that is shorter than requested, and need no cursors in the edges', () => {
    const cache = new Cache()
    const short = operationOf(
      'query ($n: Int, $after: String) { posts(first: $n, after: $after) { edges { node { id } } pageInfo { endCursor } } }',
    )
    const data = (...ids: string[]) => ({
      posts: {
        __typename: 'PostConnection',
        edges: ids.map((id) => ({ __typename: 'PostEdge', node: { __typename: 'Post', id } })),
        pageInfo: { __typename: 'PageInfo', endCursor: `after ${ids.at(-1)}` },
      },
    })
    cache.write(short.bind({ n: 500 }), data('a', 'b'))
    assert.deepEqual(cache.read(short.bind({ n: 500 })), data('a', 'b'))
    assert.equal(cache.read(short.bind({ n: 400 })), undefined)
    cache.write(short.bind({ n: 500, after: 'after b' }), data('c'))
    assert.deepEqual(cache.read(short.bind({ n: 3 })), data('a', 'b', 'c'))
  })
})
