import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReadPlan } from '#plan'
import { toResult } from './read-result.ts'

const one = { kind: 'one' } as ReadPlan
const page = { kind: 'many', within: { field: { owner: { name: 'User' } } } } as ReadPlan

test('a row has its text and version, and a missing row has none', () => {
  assert.deepEqual(toResult(one, ['{}', 3]), { kind: 'one', text: '{}', version: 3 })
  assert.deepEqual(toResult(one, null), { kind: 'one', text: null, version: 0 })
})

test('a page has whether more rows follow, on either database', () => {
  for (const [yes, no] of [
    [1, 0],
    [true, false],
  ]) {
    assert.deepEqual(toResult(page, ['[]', yes, yes, 7]), { kind: 'many', text: '[]', more: true, total: 7 })
    assert.deepEqual(toResult(page, ['[]', yes, no, null]), { kind: 'many', text: '[]', more: false, total: null })
    assert.throws(() => toResult(page, [null, no, no, null]), { code: 'NOT_FOUND', message: /User/ })
  }
})

test('a NULL text was too long', () => {
  assert.throws(() => toResult(one, [null, 3]), { code: 'QUERY_TOO_COSTLY' })
  assert.throws(() => toResult(page, [null, 1, 0, null]), { code: 'QUERY_TOO_COSTLY' })
})
