import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Query } from '../../sql/query.ts'
import { openTestStore } from '../../store.fixture.ts'
import type { Step } from '../../write/steps/query-step.ts'
import { SqliteStatements } from '../connect/connect.ts'
import { runStep } from './run-step.ts'

function openMemory(): SqliteStatements {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE t (x INTEGER UNIQUE)')
  return new SqliteStatements(database)
}

const insert = (x: number): Query => ({ sql: 'INSERT INTO t VALUES (?1)', parameters: [x] })
const select: Query = { sql: 'SELECT x FROM t ORDER BY x', parameters: [] }

test('the queries of a list run in order, and each returns its rows', () => {
  function* step(): Step<unknown> {
    const first = yield [insert(2), select, insert(1), select]
    const second = yield [{ sql: 'INSERT INTO t VALUES (?1) RETURNING x, x + 1', parameters: [5] }]
    return [first, second]
  }
  assert.deepEqual(runStep(step(), openMemory(), { count: 0 }), [[[], [[2]], [], [[1], [2]]], [[[5, 6]]]])
})

test('the error of a query is thrown at the yield, and a step that catches it continues', () => {
  function* inner(): Step<string> {
    try {
      yield [insert(1), insert(1), insert(2)]
      return 'not reached'
    } catch (error) {
      return (error as Error).message
    }
  }
  function* step(): Step<unknown> {
    return [yield* inner(), yield [select]]
  }
  assert.deepEqual(runStep(step(), openMemory(), { count: 0 }), ['UNIQUE constraint failed: t.x', [[[1]]]])
})

test('an error that the step does not catch is thrown to the caller', () => {
  function* step(): Step<void> {
    yield [insert(1), insert(1)]
  }
  assert.throws(() => runStep(step(), openMemory(), { count: 0 }), /UNIQUE/)
})

test('a write whose query fails is rolled back, and affects no other of its group', async () => {
  const store = await openTestStore('type Note { id: ID! text: String }', {
    prepare: (database) =>
      database.exec(`CREATE TRIGGER refuse BEFORE INSERT ON twain_change WHEN NEW.id = 'bad'
        BEGIN SELECT RAISE(ABORT, 'no such change'); END`),
  })
  const results = await Promise.allSettled(['a', 'bad', 'b'].map((id) => store.replace('Note', id, { text: id })))
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.match(String((results[1] as PromiseRejectedResult).reason), /no such change/)
  assert.deepEqual(
    (await store.query('SELECT id FROM Note ORDER BY id')).map(({ id }) => id),
    ['a', 'b'],
  )
  await store.close()
})
