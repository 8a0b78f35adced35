import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cacheKey, ResultCache } from './result-cache.ts'

const statement = {}
const answer = (text: string) => ({ kind: 'one' as const, text, version: 1 })

test('what is asked a second time is kept, for one sight of the database', () => {
  const kept = new ResultCache(1000)
  const asked = (visibility: number | null, key: string) => {
    const answers = kept.resultsOf(statement, visibility)
    const known = answers?.get(key) ?? null
    if (known === null && answers !== null) kept.add(answers, key, answer(`${key} ${visibility}`))
    return known?.kind === 'one' ? known.text : null
  }
  assert.deepEqual([asked(1, 'a'), asked(1, 'a'), asked(1, 'a')], [null, null, 'a 1'])
  assert.deepEqual([asked(1, 'b'), asked(null, 'a'), asked(1, 'a')], [null, null, 'a 1'])
  assert.deepEqual([asked(2, 'a'), asked(2, 'a'), asked(2, 'a'), asked(2, 'a')], [null, null, 'a 2', 'a 2'])
  assert.equal(kept.resultsOf({}, 2)!.size, 0, 'another statement has its own')
})

test('memory is bounded, and an answer that would fill it is not kept', () => {
  const kept = new ResultCache(100_000)
  let most = 0
  for (let n = 0; n < 10_000; n++) {
    for (let time = 0; time < 2; time++) kept.add(kept.resultsOf(statement, 1)!, String(n), answer('x'.repeat(1000)))
    most = Math.max(most, kept.resultsOf(statement, 1)!.size)
  }
  assert.ok(most > 50 && most < 100, String(most))
  const large = kept.resultsOf(statement, 2)!
  for (let time = 0; time < 3; time++) kept.add(large, 'large', answer('x'.repeat(70_000)))
  assert.equal(large.get('large'), null)
  assert.equal(new ResultCache(0).resultsOf(statement, 1), null)
})

test('a kept answer can not be changed by who got it', () => {
  const kept = new ResultCache(1000)
  const mine = answer('a')
  for (let time = 0; time < 2; time++) kept.add(kept.resultsOf(statement, 1)!, 'a', mine)
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
