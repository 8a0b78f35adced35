import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Query, QueryRows } from '../../sql/query.ts'
import { all, constant, evaluateChecks, inChunks, map, queryRows, runBatch } from './query-step.ts'

const query = (sql: string): Query => ({ sql, parameters: [] })
const fail = (message: string) => map(queryRows([query(message)]), () => assert.fail(message))

test('combined batches are one list, and each reads the rows of its own queries', () => {
  const step = runBatch(
    all([
      queryRows([query('a'), query('b')]),
      constant('no query'),
      evaluateChecks([true, query('c'), false, query('d')]),
      map(queryRows([query('e')]), ([rows]) => rows!.length),
    ]),
  )
  const first = step.next()
  assert.deepEqual(
    (first.value as Query[]).map(({ sql }) => sql),
    ['a', 'b', 'c', 'd', 'e'],
  )
  const rows: QueryRows[] = [[['a']], [], [[1]], [], [['e'], ['f']]]
  assert.deepEqual(step.next(rows), {
    done: true,
    value: [[[['a']], []], 'no query', [true, true, false, false], 2],
  })
})

test('a batch without queries yields nothing', () => {
  assert.deepEqual(runBatch(all([evaluateChecks([true, false]), constant(1), queryRows([])])).next(), {
    done: true,
    value: [[true, false], 1, []],
  })
})

test('if several batches throw, the first in order is thrown', () => {
  const step = runBatch(all([queryRows([query('a')]), fail('second'), fail('third')]))
  step.next()
  assert.throws(() => step.next([[], [], []]), { message: 'second' })
})

test('chunks are bounded, complete and in order', () => {
  const items = Array.from({ length: 250 }, (_, n) => n)
  assert.deepEqual(
    [...inChunks(items)].map((some) => some.length),
    [100, 100, 50],
  )
  assert.deepEqual([...inChunks(items)].flat(), items)
  assert.deepEqual([...inChunks([])], [])
})
