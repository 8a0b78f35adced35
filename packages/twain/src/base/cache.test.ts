import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cache } from './cache.ts'

test('an entry is found until it is evicted', () => {
  const cache = new Cache<string, number>(2)

  cache.set('a', 1)
  cache.set('a', 2)

  assert.equal(cache.get('a'), 2)
  assert.equal(cache.get('b'), undefined)
  assert.equal(cache.size, 1)
})

test('a full cache evicts the least recently used entry', () => {
  const cache = new Cache<string, number>(2)
  cache.set('a', 1)
  cache.set('b', 2)

  cache.get('a')
  cache.set('c', 3)

  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [1, undefined, 3])
})

test('setting an entry again counts as a use', () => {
  const cache = new Cache<string, number>(2)
  cache.set('a', 1)
  cache.set('b', 2)

  cache.set('a', 3)
  cache.set('c', 4)

  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [3, undefined, 4])
})

test('a cache never exceeds its capacity', () => {
  const cache = new Cache<number, number>(8)

  for (let key = 0; key < 1000; key++) cache.set(key, key)

  assert.equal(cache.size, 8)
  assert.equal(cache.get(999), 999)
})

test('a heavy value evicts several others, and one heavier than the capacity is not cached', () => {
  const cache = new Cache<string, string>(10, (text) => text.length)
  for (const key of ['a', 'b', 'c']) cache.set(key, 'xxx')
  cache.get('a')

  cache.set('d', 'xxxxxxx')
  cache.set('e', 'x'.repeat(11))

  assert.deepEqual(
    ['a', 'b', 'c', 'd', 'e'].map((key) => cache.get(key)?.length),
    [3, undefined, undefined, 7, undefined],
  )
})
