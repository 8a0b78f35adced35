import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeRows } from './test-times.ts'

test('files are listed by their CPU time, those under a second in one row', () => {
  const rows = timeRows([
    { name: 'a.test.ts', time: { ownSeconds: 1.25, childSeconds: 0 } },
    { name: 'b.test.ts', time: { ownSeconds: 0.4, childSeconds: 0.1 } },
    { name: 'c.test.ts', time: { ownSeconds: 2, childSeconds: 138 } },
    { name: 'd.test.ts', time: { ownSeconds: 0.2, childSeconds: 0 } },
  ])

  assert.deepEqual(rows, [
    '   140.0    138.0  c.test.ts',
    '     1.3      0.0  a.test.ts',
    '     0.7      0.1  2 others, under 1 s each',
    '   141.9    138.1  all',
  ])
})
