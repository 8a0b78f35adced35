import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundMax } from './round-max.ts'

test('an axis ends at a short number that is not below the value', () => {
  const values = [0, 0.3, 1, 1.2, 4.9, 5, 7, 99, 1001]
  assert.deepEqual(values.map(roundMax), [1, 1, 1, 2, 5, 5, 10, 100, 2000])
})
