import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Query, QueryRows } from '../../sql/query.ts'
import { all, constant, evaluateChecks, inChunks, map, queryRows, runBatch } from './query-step.ts'

const query = (sql: string): Query => ({ sql, parameters: [] })
const fail = (message: string) => map(queryRows([query(message)]), () => assert.fail(message))

test('looks that are taken together are one list, and each reads the rows that it asked for', () => {
  const step = runBatch(
    all([
      queryRows([query('a'), query('b')]),
      constant('nothing asked'),
      evaluateChecks([true, query('c'), false, query('d')]),
      map(queryRows([query('e')]), ([rows]) => rows!.length),
    ]),
  )
  const asked = step.next()
  assert.deepEqual(
    (asked.value as Query[]).map(({ sql }) => sql),
    ['a', 'b', 'c', 'd', 'e'],
  )
  const rows: QueryRows[] = [[['a']], [], [[1]], [], [['e'], ['f']]]
  assert.deepEqual(step.next(rows), {
    done: true,
    value: [[[['a']], []], 'nothing asked', [true, true, false, false], 2],
  })
})

test('what is known already asks nothing', () => {
  assert.deepEqual(runBatch(all([evaluateChecks([true, false]), constant(1), queryRows([])])).next(), {
    done: true,
    value: [[true, false], 1, []],
  })
})

test('of looks that throw the first in order is heard', () => {
  const step = runBatch(all([queryRows([query('a')]), fail('second'), fail('third')]))
  step.next()
  assert.throws(() => step.next([[], [], []]), { message: 'second' })
})

test('portions are bounded, whole, and in order', () => {
  const items = Array.from({ length: 250 }, (_, n) => n)
  assert.deepEqual(
    [...inChunks(items)].map((some) => some.length),
    [100, 100, 50],
  )
  assert.deepEqual([...inChunks(items)].flat(), items)
  assert.deepEqual([...inChunks([])], [])
})
