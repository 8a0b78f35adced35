import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makePreparedDatabase, type TestDatabase } from '../test-database.fixture.ts'
import { Session } from './session.ts'

describe('prepared statements of a session', () => {
  let database: TestDatabase
  let session: Session
  before(async () => {
    database = await makePreparedDatabase()
    session = await Session.open({ address: database.address, time: 30 })
    await session.query('CREATE TABLE item (n int PRIMARY KEY)')
  })
  after(async () => {
    await session.close()
    await database.drop()
  })

  const insert = (n: number) => ({ sql: 'INSERT INTO item VALUES ($1::text::int)', parameters: [String(n)] })
  const xid = { sql: 'SELECT pg_current_xact_id()::text AS xid', parameters: [] }
  const kept = async () => {
    const sql = `SELECT name, statement, (generic_plans + custom_plans)::int AS uses FROM pg_prepared_statements ORDER BY statement`
    return session.query<{ name: string; statement: string; uses: number }>(sql)
  }

  test('are parsed once, and are one transaction', async () => {
    for (let n = 0; n < 5; n++) {
      const [first, , last] = await session.runPrepared<{ xid: string }>([xid, insert(n), xid])
      assert.equal(first![0]!.xid, last![0]!.xid)
    }
    assert.deepEqual(
      (await kept()).map(({ statement, uses }) => [statement, uses]),
      [
        [insert(0).sql, 5],
        [xid.sql, 10],
      ],
    )
  })

  test('are undone together if one fails, and are prepared again under the same names', async () => {
    const names = (await kept()).map(({ name }) => name)
    await assert.rejects(session.runPrepared([insert(100), insert(1), xid]), { code: '23505' })
    assert.deepEqual(await session.query('SELECT n FROM item WHERE n = 100'), [])
    await session.runPrepared([xid, insert(100)])
    assert.deepEqual(await session.query('SELECT n FROM item WHERE n = 100'), [{ n: 100 }])
    assert.deepEqual(
      (await kept()).map(({ name }) => name),
      names,
    )
  })

  test('are prepared again on a server that has them no longer, as behind a pooler', async () => {
    await session.query('DEALLOCATE ALL')
    await assert.rejects(session.runPrepared([xid, insert(200)]), { code: '26000' })
    await session.runPrepared([xid, insert(200)])
    assert.equal((await kept()).length, 2)
  })
})
