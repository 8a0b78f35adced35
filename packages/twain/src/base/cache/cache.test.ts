import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cache } from './cache.ts'
import { CacheBudget } from './cache-budget.ts'

test('an entry is found until it is evicted', () => {
  const cache = texts(new CacheBudget(1000))

  cache.set('a', 'x')
  cache.set('a', 'y')

  assert.equal(cache.get('a'), 'y')
  assert.equal(cache.get('b'), undefined)
  assert.deepEqual([cache.size, cache.hits, cache.misses], [1, 1, 1])
})

test('a full cache evicts the least recently used entries', () => {
  const budget = new CacheBudget(100_000)
  const cache = texts(budget)
  const keys = Array.from({ length: 500 }, (_, n) => `key ${n}`)
  for (const key of keys) cache.set(key, 'x'.repeat(200 - key.length))

  assert.deepEqual(
    [...keys.keys()].filter((n) => cache.get(keys[n]!) === undefined),
    [...Array(167).keys()],
  )
  cache.get('key 167')
  cache.set('new', 'x'.repeat(197))

  assert.equal(cache.get('key 167')?.length, 193)
  assert.equal(cache.get('key 168'), undefined)
})

test('setting an entry again counts as a use, and its former weight is gone', () => {
  const budget = new CacheBudget(300 * 301)
  const cache = texts(budget)
  for (let n = 100; n < 400; n++) cache.set(`${n}`, 'x'.repeat(198))

  cache.set('100', 'x'.repeat(190))
  cache.set('new', 'x'.repeat(198))

  assert.equal(cache.get('100')?.length, 190)
  assert.equal(cache.get('101'), undefined)
  assert.equal(cache.bytes, 299 * 301 + 293)
  assert.equal(budget.bytes, cache.bytes)
})

test('an entry that is heavier than the budget is not cached', () => {
  const cache = texts(new CacheBudget(1000))

  for (let n = 0; n < 3; n++) assert.equal(cache.set('a', 'x'.repeat(1000)), false)
  assert.equal(cache.get('a'), undefined)
})

test('caches share a budget: a flood of one kind displaces only its own kind', () => {
  const budget = new CacheBudget(100_000)
  const plans = texts(budget)
  const documents = texts(budget)
  for (let n = 0; n < 10; n++) plans.set(`plan ${n}`, 'x'.repeat(200))

  for (let n = 0; n < 1000; n++) documents.set(`document ${n}`, 'x'.repeat(100))

  assert.equal(plans.size, 10)
  assert.ok(budget.bytes <= 100_000)
  assert.ok(documents.get('document 999') !== undefined)
  assert.equal(documents.get('document 0'), undefined)
})

test('a large entry is cached when its key comes for the second time', () => {
  const cache = texts(new CacheBudget(1_000_000))
  const large = 'x'.repeat(100_000)

  assert.equal(cache.set('a', large), false)
  assert.equal(cache.set('b', large), false)
  assert.equal(cache.set('a', large), true)

  assert.deepEqual(found(cache, 'ab'), ['a'])
})

test('a dropped entry is reported, and a closed cache leaves the budget', () => {
  const dropped: string[] = []
  const budget = new CacheBudget(100_000)
  const cache = new Cache<string, string>({
    name: 'texts',
    budget,
    bytes: (text) => text.length,
    onDrop: (_, key) => dropped.push(key),
  })
  for (const key of ['a', 'b', 'c', 'd']) cache.set(key, 'x'.repeat(200))

  cache.close()

  assert.deepEqual(dropped, ['a', 'b', 'c', 'd'])
  assert.equal(budget.bytes, 0)
})

test('what is held takes capacity from the caches', () => {
  const budget = new CacheBudget(100_000)
  const cache = texts(budget)
  for (let n = 0; n < 400; n++) cache.set(`key ${n}`, 'x'.repeat(200))
  const full = cache.bytes
  const plan = {}
  const ann = { client: 'ann', network: '192.0.2.1', isOperator: false, end() {} }

  assert.equal(budget.hold(plan, 12_000, ann), true)
  assert.ok(cache.bytes <= full - 11_000)

  budget.release(plan, ann)
  assert.equal(budget.gauges().at(-1)!.value(), 0)
})

test('caches of one name report together', () => {
  const budget = new CacheBudget()
  for (const cache of [texts(budget), texts(budget)]) cache.set('a', 'x')

  const values = budget.gauges().map(({ name, cache, value }) => `${name} ${cache} ${value()}`)

  assert.deepEqual(values, [
    'cache_entries texts 2',
    'cache_bytes texts 204',
    'cache_hits_total texts 0',
    'cache_misses_total texts 0',
    'cache_bytes subscriptions 0',
  ])
})

function texts(budget: CacheBudget): Cache<string, string> {
  return new Cache({ name: 'texts', budget, bytes: (text) => text.length })
}

function found(cache: Cache<string, string>, keys: string): string[] {
  return [...keys].filter((key) => cache.get(key) !== undefined)
}
