import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { addFunctions } from '../connect/connect.ts'
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

  test('as columns have 15 digits, with two decimals 2^53 hundredths', (t) => {
    const database = new DatabaseSync(':memory:')
    t.after(() => database.close())
    addViewSums(database)
    addFunctions(database)
    const column = (sum: string, list: readonly string[]) => {
      const [row] = all(database, `SELECT twain_exact(${sum}) AS s FROM json_each('[${list}]')`)
      return String(row!.s).split(' ')[1]
    }
    const times = (amount: string) => Array.from({ length: 30 }, () => amount)
    assert.equal(column('sum(value)', times('99999999999.99')), '2999999999999.7')
    assert.equal(column('sum(value)', times('3002399751580.33')), '90071992547409.9')
    assert.equal(column('sum(value)', times('9999999999.9999')), '299999999999.997')
    assert.equal(column('sum(value)', times('99999999999.9999')), '3000000000000')
    assert.equal(column('sum(value) * 3', ['0.1', '0.2']), '0.9')
    assert.equal(column('value - 0.07', ['123456789012345.67']), '123456789012345.61') // not rounded: it has two decimals
    assert.deepEqual(all(database, `SELECT 0.3 * 3 = 0.9 AS plain, round(0.3 * 3, 2) = 0.9 AS rounded`), [
      { plain: 0n, rounded: 1n },
    ])
  })
})
