import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cacheKey, ResultCache } from './result-cache.ts'

const statement = {}
const answer = (text: string) => ({ kind: 'one' as const, text, version: 1 })

test('a result is cached at its second read, for one version of the data', () => {
  const cache = new ResultCache(1000)
  const read = (dataVersion: number | null, key: string) => {
    const results = cache.resultsOf(statement, dataVersion)
    const known = results?.get(key) ?? null
    if (known === null && results !== null) cache.add(results, key, answer(`${key} ${dataVersion}`))
    return known?.kind === 'one' ? known.text : null
  }
  assert.deepEqual([read(1, 'a'), read(1, 'a'), read(1, 'a')], [null, null, 'a 1'])
  assert.deepEqual([read(1, 'b'), read(null, 'a'), read(1, 'a')], [null, null, 'a 1'])
  assert.deepEqual([read(2, 'a'), read(2, 'a'), read(2, 'a'), read(2, 'a')], [null, null, 'a 2', 'a 2'])
  assert.equal(cache.resultsOf({}, 2)!.size, 0, 'another statement has its own')
})

test('memory is bounded, and a result that would fill it is not cached', () => {
  const cache = new ResultCache(100_000)
  let maxSize = 0
  for (let n = 0; n < 10_000; n++) {
    for (let time = 0; time < 2; time++) cache.add(cache.resultsOf(statement, 1)!, String(n), answer('x'.repeat(1000)))
    maxSize = Math.max(maxSize, cache.resultsOf(statement, 1)!.size)
  }
  assert.ok(maxSize > 50 && maxSize < 100, String(maxSize))
  const large = cache.resultsOf(statement, 2)!
  for (let time = 0; time < 3; time++) cache.add(large, 'large', answer('x'.repeat(70_000)))
  assert.equal(large.get('large'), null)
  assert.equal(new ResultCache(0).resultsOf(statement, 1), null)
})

test('a cached result can’t be changed by its reader', () => {
  const cache = new ResultCache(1000)
  const mine = answer('a')
  for (let time = 0; time < 2; time++) cache.add(cache.resultsOf(statement, 1)!, 'a', mine)
  assert.throws(() => Object.assign(mine, { text: 'b' }), TypeError)
})

test('different parameters have different keys', () => {
  const lists = [
    ['1'],
    [1],
    [null],
    ['-'],
    ['null'],
    ['a', 'b'],
    ['a"', 'b'],
    ['"a', 'b'],
    ['ab'],
    [1, 2],
    [12],
    [1n << 60n],
    [],
  ]
  assert.equal(new Set(lists.map(cacheKey)).size, lists.length)
  assert.equal(cacheKey([new Uint8Array(1)]), null)
})
