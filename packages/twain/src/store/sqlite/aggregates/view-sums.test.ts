import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { addViewSums } from './view-sums.ts'

describe('sums of views', () => {
  const exact = new DatabaseSync(':memory:')
  const native = new DatabaseSync(':memory:')
  addViewSums(exact)
  after(() => {
    exact.close()
    native.close()
  })
  const all = (database: DatabaseSync, sql: string) => {
    const statement = database.prepare(sql)
    statement.setReadBigInts(true)
    return statement.all().map((row) => ({ ...row }))
  }

  test('have the types of SQLite’s, also of integers, nulls, texts and nothing', () => {
    const lists = [
      '[]',
      '[null]',
      '[1, 2]',
      '[1, 2.5]',
      '[9007199254740993, 4]',
      '["12", "3.5x", "a"]',
      '[-1e300, 1e300]',
    ]
    for (const list of lists) {
      const sql = `SELECT sum(value) AS s, typeof(sum(value)) AS t, total(value) AS u, avg(value) AS v FROM json_each('${list}')`
      assert.deepEqual(all(exact, sql), all(native, sql), list)
    }
    const infinite = `SELECT sum(value * 1e300) AS s FROM json_each('[1e300, 1]')`
    assert.deepEqual(all(exact, infinite), [{ s: Number.POSITIVE_INFINITY }])
    const beyond = `SELECT typeof(sum(value)) AS t FROM json_each('[9223372036854775807, 1]')`
    assert.deepEqual(all(exact, beyond), [{ t: 'real' }])
  })

  test('are the nearest doubles of the exact sums, in any order and as window functions', () => {
    const tenths = `json_each('${JSON.stringify(Array.from({ length: 1000 }, () => 0.1))}')`
    assert.deepEqual(all(exact, `SELECT sum(value) = 100 AS s, avg(value) = 0.1 AS a FROM ${tenths}`), [
      { s: 1n, a: 1n },
    ])
    const over = `SELECT DISTINCT sum(value) OVER (ORDER BY key ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS s FROM ${tenths}`
    assert.deepEqual(all(exact, over), [{ s: 0.1 }, { s: 0.2 }, { s: 0.3 }])
  })
})
