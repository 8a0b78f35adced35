import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { makeTestDatabase, type TestDatabase } from '../test-database.fixture.ts'
import { ReadPool } from './read-pool.ts'

const silent = { info() {}, warn() {}, error() {} }

const prepared = 'SELECT count(*)::integer, sum(length(statement))::integer FROM pg_prepared_statements'
const preparedLike = 'SELECT count(*)::integer FROM pg_prepared_statements WHERE statement LIKE '

describe('a connection to PostgreSQL', () => {
  let database: TestDatabase
  /** One connection, so that each query uses the same. */
  let pool: ReadPool
  before(async () => {
    database = await makeTestDatabase()
  })
  beforeEach(() => {
    pool = new ReadPool(database.address, { size: 1, time: 30, outageWaitSeconds: 30 }, silent)
  })
  afterEach(() => pool.close())
  after(() => database.drop())

  const one = async (sql: string, ...parameters: Parameters<ReadPool['query']>[1]) =>
    (await pool.query(sql, parameters))[0]![0]

  test('parameters of every type return unchanged', async () => {
    const texts = ['', 'x', 'ä€😀\n"\\', '😀'.repeat(999), 'ß'.repeat(100_000)]
    for (const text of texts) assert.equal(await one('SELECT $1::text', text), text)
    for (const number of [0, -1, 2 ** 53 - 1, 1.5, 1e21, -0.1])
      assert.equal(await one('SELECT $1::float8', number), number)
    assert.equal(await one('SELECT $1::bigint', 9007199254740991n), 9007199254740991)
    assert.equal(await one('SELECT $1::text', null), null)
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, at) => at % 256))
    assert.deepEqual(await one('SELECT $1::bytea', bytes), bytes)
  })

  test('columns have the types that the store reads', async () => {
    const columns = [
      [`true, false, 1::smallint, 2, 3::bigint, 4.5::real, 5.5::float8`, [true, false, 1, 2, 3, 4.5, 5.5]],
      [`'{"a": 1}'::json, '{"a":1}'::jsonb`, ['{"a": 1}', '{"a": 1}']],
      [`'2026-11-15'::date, '2026-11-15T12:00:00Z'::timestamptz`, ['2026-11-15', '2026-11-15 12:00:00+00']],
      [`NULL, 12.30::numeric, '\\x'::bytea`, [null, '12.30', Buffer.alloc(0)]],
    ] as const
    for (const [sql, row] of columns) assert.deepEqual(await pool.query(`SELECT ${sql}`, []), [row])
    assert.deepEqual(await pool.query('SELECT n FROM generate_series(1, 3) AS n WHERE n > 5', []), [])
  })

  test('results of any size arrive whole', async () => {
    for (const length of [1, 65_400, 65_536, 5_000_000]) {
      const rows = await pool.query(`SELECT repeat('é', $1::integer), n FROM generate_series(1, 3) AS n`, [length])
      assert.deepEqual(
        rows,
        [1, 2, 3].map((n) => ['é'.repeat(length), n]),
      )
    }
    const many = await pool.query('SELECT n, n::text FROM generate_series(1, 50000) AS n', [])
    assert.deepEqual([many.length, many[49_999]], [50_000, [50_000, '50000']])
  })

  test('a failed statement does not affect the next', async () => {
    await assert.rejects(pool.query('SELECT nothing', []), {
      code: '42703',
      message: /"nothing" does not exist/,
    })
    for (const divisor of [0, 2, 0]) {
      const pending = pool.query('SELECT 6 / $1::integer', [divisor])
      if (divisor === 0) await assert.rejects(pending, { code: '22012' })
      else assert.deepEqual(await pending, [[3]])
    }
    await assert.rejects(pool.query('SELECT $1::integer', ['x']), { code: '22P02' })
    await assert.rejects(pool.query('SELECT 1', Array(65_536).fill('')), RangeError)
    assert.equal(await one('SELECT 1'), 1)
  })

  test('statements that take too much memory of the server are closed, the least recently used first', async () => {
    await pool.close()
    pool = new ReadPool(database.address, { size: 1, time: 30, statementBytes: 2_000_000 }, silent)
    for (let n = 0; n < 700; n++) {
      await one(`SELECT ${n} AS ${'x'.repeat(40)}`)
      await one('SELECT 1')
    }
    const [row] = await pool.query(prepared, [])

    const [count, characters] = row as [number, number]
    assert.ok(characters <= 25_000, `${count} statements with ${characters} characters`)
    assert.ok(count > 300)
    assert.deepEqual(await pool.query(`${preparedLike}'SELECT 1'`, []), [[1]])
    assert.deepEqual(await pool.query(`${preparedLike}'SELECT 5 AS%'`, []), [[0]])
  })

  test('a connection that has prepared very much is replaced: the server remembers all that it made', async () => {
    await pool.close()
    pool = new ReadPool(database.address, { size: 1, time: 30, statementBytes: 100_000 }, silent)
    const sessions = new Set<unknown>()
    for (let n = 0; n < 30; n++) {
      await one(`SELECT row_to_json(o)::text FROM (SELECT 1 AS "${n}", '${'x'.repeat(10_000)}' AS text) o`)
      sessions.add(await one('SELECT pg_backend_pid()'))
    }
    assert.equal(sessions.size, 4)
    for (let n = 0; n < 100; n++) sessions.add(await one('SELECT pg_backend_pid()'))
    assert.equal(sessions.size, 4)
  })

  test('a large statement has a name from its second use on, and one that fails is not kept', async () => {
    const large = `SELECT '${'x'.repeat(10_000)}' || $1::text`
    const counted = async () => (await pool.query(`${preparedLike}'SELECT ''xxx%'`, []))[0]![0]
    for (const expected of [0, 1, 1]) {
      assert.equal(await one(large, 'y'), `${'x'.repeat(10_000)}y`)
      assert.equal(await counted(), expected)
    }
    await assert.rejects(pool.query('SELECT 7 / $1::integer', [0]), { code: '22012' })
    assert.deepEqual(await pool.query(`${preparedLike}'SELECT 7%'`, []), [[0]])
  })

  test('a statement that the server has deallocated, or whose tables have changed, is prepared again', async () => {
    const session = await one('SELECT pg_backend_pid()')
    assert.deepEqual(await pool.query('DEALLOCATE ALL', []), [])
    assert.equal(await one('SELECT pg_backend_pid()'), session)
    await database.raw.query('CREATE TABLE shape (a integer)')
    await database.raw.query('INSERT INTO shape VALUES (1)')
    assert.deepEqual(await pool.query('SELECT * FROM shape', []), [[1]])
    await database.raw.query(`ALTER TABLE shape ADD b text DEFAULT 'two'`)
    assert.deepEqual(await pool.query('SELECT * FROM shape', []), [[1, 'two']])
    assert.equal(await one('SELECT pg_backend_pid()'), session)
  })

  test('when the server ends the session, its query is sent again on another connection', async () => {
    const session = (await one('SELECT pg_backend_pid()')) as number
    const pending = one('SELECT pg_backend_pid() FROM pg_sleep(1)')
    await database.raw.query('SELECT pg_terminate_backend($1)', [session])
    assert.notEqual(await pending, session)
  })
})
