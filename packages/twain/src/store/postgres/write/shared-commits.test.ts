import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { defaultLimits } from '#plan'
import { openStore } from '../../databases.ts'
import { checkedId, type Query } from '../../sql/query.ts'
import { openTestStore, silent, type TestStore, type Written } from '../../store.fixture.ts'
import { reserveSession } from '../connect/reserve-session.ts'
import { DatabaseProxy, type ProxyAction } from '../database-proxy.fixture.ts'
import { AssertionTexts } from './assumptions.ts'
import { ClientGone } from './session-pool.ts'
import { SharedCommits } from './shared-commits.ts'

const sdl = `
  type User @allow { id: ID! name: String! @unique }
  type Post @allow { id: ID! title: String! author: User! }
`

describe('shared commits', () => {
  let direct: TestStore
  let store: TestStore
  let proxy: DatabaseProxy
  let author = ''
  before(async () => {
    direct = await openTestStore(sdl, { on: 'postgres' })
    proxy = await DatabaseProxy.open(direct.place.database!)
    const { model, place } = direct
    const rest = { poolSize: 8, model, sdl, limits: { ...defaultLimits, timeSeconds: 6 }, log: silent }
    store = direct.withStore(await openStore({ ...place, database: proxy.address, ...rest }))
    author = (await store.create('User', { name: 'ann' })).id
  })
  after(async () => {
    await store.store.close()
    await proxy.close()
    await direct.close()
  })

  const posts = (from: string, count: number, by = author) =>
    Array.from({ length: count }, (_, n) => store.create('Post', { title: `${from} ${n}`, author: by }))

  const transactionsOf = async (written: readonly Written[]) => {
    const ids = JSON.stringify(written.map(({ id }) => id))
    const sql = `SELECT count(DISTINCT tx) AS transactions, count(*) AS entries FROM twain_change
      WHERE id IN (SELECT json_array_elements_text(?1::json))`
    const [{ transactions, entries }] = (await direct.query(sql, ids)) as [{ transactions: number; entries: number }]
    return [transactions, entries].map(Number)
  }

  const titlesLike = async (from: string) =>
    (await direct.query(`SELECT title FROM "Post" WHERE title LIKE ?1 ORDER BY _n`, `${from} %`)).map(
      ({ title }) => title,
    )

  test('creates that wait at the same time are one transaction, and each gets its own row', async () => {
    const written = await Promise.all(posts('same', 8))
    for (const [n, { row, version }] of written.entries()) {
      assert.deepEqual([row.title, row.author, version], [`same ${n}`, author, 1])
    }
    assert.deepEqual(await transactionsOf(written), [1, 8])
  })

  test('of many creates the database begins with the first, while the server takes the others', async () => {
    assert.deepEqual(await transactionsOf(await Promise.all(posts('divided', 20))), [3, 20])
  })

  test('a write that is refused harms no other, and learns its own reason', async () => {
    const refused = [
      store.create('User', { name: 'ann' }),
      store.create('Post', { title: 'none', author: 'nobody' }),
      store.create('User', { name: 'two' }),
      store.create('User', { name: 'two' }),
    ]
    const [written, outcomes] = await Promise.all([Promise.all(posts('beside', 10)), Promise.allSettled(refused)])
    assert.equal((await transactionsOf(written))[1], 10)
    const codes = outcomes.map((outcome) =>
      outcome.status === 'fulfilled'
        ? 'ok'
        : outcome.reason.problems.map(({ path, code }: Problem) => `${path} ${code}`)[0],
    )
    assert.deepEqual(codes.slice(0, 2), ['name UNIQUE', 'author REFERENCE'])
    assert.deepEqual(codes.slice(2).sort(), ['name UNIQUE', 'ok'])
  })

  test('ids may hold any character, as those of an adopted database do', async () => {
    const odd = [`'"\\{},`, 'NULL', 'a b', 'ä']
    for (const id of odd) await direct.query('INSERT INTO "User" (id, _version, name) VALUES (?1, 1, ?1)', id)
    const written = await Promise.all(odd.map((id) => store.create('Post', { title: 'odd', author: id })))
    assert.deepEqual([await transactionsOf(written), written.map(({ row }) => row.author)], [[1, 4], odd])
    const missing = odd.map((id) => store.create('Post', { title: 'odd', author: `${id}"` }))
    for (const outcome of await Promise.allSettled(missing))
      assert.equal(outcome.status === 'rejected' && outcome.reason.problems[0].code, 'REFERENCE')
  })

  test('a row that is being deleted is not referred to, also if its delete commits meanwhile', async () => {
    const { id: leaving } = await store.create('User', { name: 'leaving' })
    const holder = await reserveSession(direct.place.database!, 'BEGIN')
    try {
      await holder.query(`SELECT 1 FROM "User" WHERE id = '${leaving}' FOR UPDATE`)
      const waiting = Promise.allSettled(posts('orphan', 3, leaving))
      await holder.query(`UPDATE "User" SET _version = -2 WHERE id = '${leaving}'`)
      await holder.query('COMMIT')
      const codes = (await waiting).map((outcome) => outcome.status === 'rejected' && outcome.reason.problems[0].code)
      assert.deepEqual(codes, ['REFERENCE', 'REFERENCE', 'REFERENCE'])
    } finally {
      await holder.close()
    }
  })

  test('a write that waits for a lock does not keep the others', async () => {
    const { id: locked } = await store.create('User', { name: 'locked' })
    const holder = await reserveSession(direct.place.database!, 'BEGIN')
    try {
      await holder.query(`SELECT 1 FROM "User" WHERE id = '${locked}' FOR UPDATE`)
      const waiting = posts('waiting', 3, locked)
      assert.equal((await Promise.all(posts('free', 10))).length, 10)
      assert.deepEqual(await titlesLike('waiting'), [])
      await holder.query('ROLLBACK')
      assert.equal((await Promise.all(waiting)).length, 3)
    } finally {
      await holder.close()
    }
  })

  test('after a commit without confirmation each write succeeds, and is made once', async () => {
    for (let round = 0; round < 10; round++) {
      let isLost = false
      proxy.choose.database = (bytes): ProxyAction => {
        const at = bytes.indexOf('COMMIT\0')
        if (isLost || at < 0) return 'pass'
        isLost = true
        return at - 5
      }
      const written = await Promise.all(posts(`lost${round}`, 8))
      assert.ok(isLost)
      assert.deepEqual(
        written.map(({ row }) => row.title),
        Array.from({ length: 8 }, (_, n) => `lost${round} ${n}`),
      )
      assert.equal((await titlesLike(`lost${round}`)).length, 8)
    }
  })

  test('more writes than may wait are refused', async () => {
    const outcomes = await Promise.allSettled(posts('many', 1500))
    const made = outcomes.filter(({ status }) => status === 'fulfilled').length
    assert.ok(made >= 1000 && made < 1500, `${made}`)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'UNAVAILABLE')
    }
    assert.equal((await titlesLike('many')).length, made)
  })
})

describe('limits of shared commits', () => {
  /** A pool whose sessions keep what they are sent. A statement `bad` fails. */
  function open(acquires = true) {
    const sent: (readonly Query[])[] = []
    const session = {
      process: { id: '1', serverStart: '' },
      async query(queries: readonly Query[]) {
        sent.push(queries)
        if (queries.some(({ sql }) => sql === 'bad')) throw Object.assign(new Error('taken'), { code: '23505' })
      },
    }
    const acquire = () => (acquires ? Promise.resolve(session) : new Promise<never>(() => {}))
    const shared = new SharedCommits({ size: 8, time: 0, versionFloor: 0, acquire, release() {} }, new AssertionTexts())
    const send = (some: Query[], onSent: () => void) => {
      const queries = [{ sql: 'BEGIN', parameters: [] }, ...some, { sql: 'COMMIT', parameters: [] }]
      return shared.run({ queries, received: [], versionFloor: 0, onSent })
    }
    const runQueries = (...some: Query[]) => send(some, () => {})
    const runUnwanted = (sql: string) =>
      send([{ sql, parameters: [] }], () => {
        throw new ClientGone()
      })
    const run = (sql: string) => runQueries({ sql, parameters: [] })
    const runAll = (...statements: string[]) => Promise.allSettled(statements.map(run))
    return { sent, run, runAll, runQueries, runUnwanted }
  }

  test('after a refused pair writes run alone, and share again after some successes', async () => {
    const { sent, runAll } = open()
    await runAll('bad', 'good')
    sent.length = 0
    await runAll('one', 'two')
    assert.equal(sent.length, 2)
    for (let round = 0; round < 16; round++) await runAll('one', 'two')
    sent.length = 0
    await runAll('one', 'two')
    assert.equal(sent.length, 1)
  })

  test('a write whose client has gone is not sent, and those beside it are', async () => {
    const { sent, run, runUnwanted } = open()
    const outcomes = await Promise.allSettled([run('one'), runUnwanted('two'), run('three')])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    const statements = sent.flat().map(({ sql }) => sql)
    assert.deepEqual(
      ['one', 'two', 'three'].map((sql) => statements.filter((one) => one === sql).length),
      [1, 0, 1],
    )
  })

  test('creates are one statement, unless a rule of a write beside them looks at their table', async () => {
    const { sent, runQueries } = open()
    const several = { table: '"Vote"', text: (count: number) => `create ${count}` }
    const create = () => ({ sql: 'create', parameters: ['x'], several })
    const check = (sql: string, table: string) => ({ sql, parameters: [], looksAt: (one: string) => one === table })
    const textsOf = (queries: readonly Query[]) => queries.slice(3, -1).map(({ sql }) => sql)
    await Promise.all([1, 2].map(() => runQueries(check('check posts', '"Post"'), create())))
    assert.deepEqual(textsOf(sent[0]!), ['check posts', 'check posts', 'create 2'])
    await Promise.all([1, 2].map(() => runQueries(check('check votes', '"Vote"'), create())))
    assert.deepEqual(textsOf(sent[1]!), ['check votes', 'create', 'check votes', 'create'])
    const other = { sql: 'other', parameters: [] }
    await Promise.all([runQueries(create()), runQueries(create()), runQueries(check('check votes', '"Vote"'), other)])
    assert.deepEqual(textsOf(sent[2]!), ['create', 'create', 'check votes', 'other'])
  })

  test('one statement checks the rows that all refer to; other checks stay with their write', async () => {
    const { sent, runQueries } = open()
    const assertions = new AssertionTexts()
    const has = (table: string, id: string): Query => ({
      sql: `SELECT 1 FROM ${table} WHERE id = $1`,
      parameters: [id],
      ofEachId: `SELECT 1 FROM ${table} WHERE id = ${checkedId}`,
      expects: 'row',
    })
    const rule: Query = { sql: 'SELECT 1 FROM c WHERE d = $1', parameters: ['e'], expects: 'row' }
    await Promise.all([
      runQueries(assertions.assertionOf([has('b', '1'), has('a', '2')])),
      runQueries(assertions.assertionOf([rule, has('b', '1')])),
      runQueries(assertions.assertionOf([has('b', '"\\')])),
      runQueries(assertions.assertionOf([rule])),
    ])
    const id = 'pg_current_xact_id()::text'
    const each = (place: string, table: string) =>
      `NOT EXISTS (SELECT 1 FROM unnest(${place}::text[]) AS twain_checked (id) ` +
      `WHERE NOT EXISTS (SELECT 1 FROM ${table} WHERE id = twain_checked.id))`
    const ruleText = `SELECT ${id}, 1 / CASE WHEN EXISTS (SELECT 1 FROM c WHERE d = $1) THEN 1 ELSE 0 END`
    assert.deepEqual(
      sent[0]!.slice(2, -1).map(({ sql, parameters }) => [sql, ...parameters]),
      [
        [
          `SELECT ${id}, 1 / CASE WHEN ${each('$1', 'a')} AND ${each('$2', 'b')} THEN 1 ELSE 0 END`,
          '{"2"}',
          String.raw`{"1","\"\\"}`,
        ],
        [ruleText, 'e'],
        [ruleText, 'e'],
      ],
    )
  })

  test('the more writes share, the less may each wait for a lock', async () => {
    const { sent, runAll } = open()
    await runAll('one', 'two')
    await runAll(...Array.from({ length: 8 }, () => 'one'))
    await runAll(...Array.from({ length: 64 }, () => 'one')) // 8 at once, 8 more, and 24 in each of the next two
    assert.deepEqual(
      sent.map((queries) => queries[1]!.parameters),
      [['25'], ['6'], ['6'], ['6'], ['5'], ['5']],
    )
  })

  test('while the database hangs, no more writes are held than may wait', async () => {
    const { run } = open(false)
    let refused = 0
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 500; n++) run('one').catch(() => refused++)
      await new Promise((resolve) => setTimeout(resolve, 60)) // longer than a transaction counts among those that run
    }
    assert.equal(refused, 1500 - 1000 - 8)
  })
})

interface Problem {
  path: string
  code: string
}
