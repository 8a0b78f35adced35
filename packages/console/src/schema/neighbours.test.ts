import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearTypes } from './neighbours.ts'

const arrow = (from: string, to: string) => ({ from, to, label: '' })

test('neighbours are found in both directions, the nearest first, and circles end', () => {
  const arrows = [arrow('A', 'B'), arrow('C', 'B'), arrow('C', 'D'), arrow('D', 'D'), arrow('D', 'A')]
  assert.deepEqual(nearTypes('B', 0, arrows), ['B'])
  assert.deepEqual(nearTypes('B', 1, arrows), ['B', 'A', 'C'])
  assert.deepEqual(nearTypes('B', 3, arrows), ['B', 'A', 'C', 'D'])
  assert.deepEqual(nearTypes('X', 2, arrows), ['X'])
})
