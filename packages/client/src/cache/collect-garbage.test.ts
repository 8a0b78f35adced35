import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operationOf } from '../document/operation.ts'
import { Cache } from './cache.ts'
import { collectGarbage } from './collect-garbage.ts'
import { show } from './query-watcher.ts'

const page = (n: number) => operationOf('query ($n: Int!) { posts(page: $n) { id author { id } } }').bind({ n })
const rows = (from: number, count: number) => ({
  posts: Array.from({ length: count }, (_, n) => ({
    __typename: 'Post',
    id: `p${from + n}`,
    author: { __typename: 'User', id: `u${from}` },
  })),
})

describe('the garbage collector', () => {
  test('removes rows that no root field leads to, but no watched or optimistic rows', () => {
    const cache = new Cache()
    cache.write(page(1), rows(0, 10))
    cache.write(page(1), rows(100, 1))
    assert.equal(collectGarbage(cache, 1000), 11)
    assert.deepEqual(cache.read(page(1)), rows(100, 1))
    const takeBack = cache.layer(() => cache.write(page(1), rows(200, 2), { isBorrowed: true }))
    assert.equal(collectGarbage(cache, 1000), 0)
    takeBack()
    assert.equal(collectGarbage(cache, 1000), 3)
    assert.deepEqual(cache.read(page(1)), rows(100, 1))
  })

  test('above the limit removes the least recently read rows, except watched ones', () => {
    const cache = new Cache()
    for (let n = 0; n < 10; n++) cache.write(page(n), rows(n * 100, 9))
    const watcher = cache.watcher(page(0), 0)
    const listener = { [show]() {} }
    watcher.join(listener)
    for (const n of [1, 2, 9, 8]) cache.read(page(n))
    collectGarbage(cache, 50)
    assert.ok(cache.nodes.size <= 50)
    assert.deepEqual(
      [0, 8, 9, 3, 4].map((n) => cache.read(page(n)) !== undefined),
      [true, true, true, false, false],
    )
    watcher.leave(listener)
  })
})
