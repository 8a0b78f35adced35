import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { anonymous } from '#base/http'
import { loadModel } from '#model'
import { type AuthorizedPlan, defaultLimits, type Plan, type PlanResult } from '#plan'
import { openStore } from '../databases.ts'
import { planMany, planOne } from '../plan.fixture.ts'
import { apiErrorOf, silent } from '../store.fixture.ts'
import type { Store } from '../store.ts'
import { DatabaseProxy } from './database-proxy.fixture.ts'
import { makePreparedDatabase, type TestDatabase } from './test-database.fixture.ts'

const sdl = 'type Post { id: ID! title: String posts: [Post!]! @relation(inverse: "post") post: Post }'
const model = loadModel(sdl, 'test.graphql')

describe('the PostgreSQL store', () => {
  let database: TestDatabase
  let proxy: DatabaseProxy
  let store: Store
  before(async () => {
    database = await makePreparedDatabase()
    proxy = await DatabaseProxy.open(database.address)
    const limits = { ...defaultLimits, timeSeconds: 1 }
    store = await openStore({ data: '', database: proxy.address, poolSize: 2, model, sdl, limits, log: silent })
    await database.raw.query(`INSERT INTO "Post" (id, _version, title) VALUES ('a', 3, 'x')`)
  })
  after(async () => {
    await store.close()
    await proxy.close()
    await database.drop()
  })

  const run = async ({ plan, values }: { plan: Plan; values: readonly unknown[] }): Promise<PlanResult> =>
    store.run(plan as AuthorizedPlan, values, {}, anonymous)
  const readOne = () => run(planOne(model, 'Post', 'a', ['title']))

  test('names its sessions', async () => {
    assert.deepEqual(await readOne(), { kind: 'one', text: '{"title":"x"}', version: 3 })
    const names = await database.raw.query(
      `SELECT DISTINCT application_name AS name FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    assert.deepEqual(
      names.map(({ name }) => name),
      ['twain'],
    )
  })

  test('a read that takes too long is stopped on the server, with the same error as on SQLite', async () => {
    await database.raw.script(`
      ALTER TABLE "Post" RENAME TO "Slow";
      CREATE VIEW "Post" AS SELECT * FROM "Slow" WHERE pg_sleep(60)::text IS NOT NULL`)
    const started = performance.now()
    const error = await apiErrorOf(readOne())
    await database.raw.script('DROP VIEW "Post"; ALTER TABLE "Slow" RENAME TO "Post"')
    assert.equal(error.code, 'UNAVAILABLE')
    assert.equal(error.message, 'The read took longer than 1 s and was stopped.')
    assert.ok(performance.now() - started < 30_000)
    assert.equal(((await readOne()) as { version: number }).version, 3)
  })

  test('a result that is too large is refused by the server, before it is sent', async () => {
    await database.raw.query(
      `INSERT INTO "Post" (id, _version, title) SELECT 'b' || n, 1, repeat('x', 1000000) FROM generate_series(1, 17) n`,
    )
    const error = await apiErrorOf(run(planMany(model, 'Post', { select: ['title'] })))
    assert.equal(error.code, 'QUERY_TOO_COSTLY')
    assert.match(error.message, /larger than 16 MiB/)
    assert.equal(((await run(planMany(model, 'Post', { select: ['id'] }))) as { text: string }).text.length > 100, true)
  })

  test('while the database is away a read soon fails with 503, and reads work again when it is back', async () => {
    await proxy.stop()
    for (let turn = 0; turn < 5; turn++) {
      const started = performance.now()
      const error = await apiErrorOf(readOne())
      assert.equal(error.code, 'UNAVAILABLE')
      assert.ok(Number(error.headers?.['retry-after']) > 0)
      assert.ok(performance.now() - started < 10_000)
    }
    assert.equal(store.unready(), 'the database does not accept writes')
    await proxy.restart()
    const started = performance.now()
    while (store.unready() !== null) await sleep(50)
    assert.ok(performance.now() - started < 20_000)
    assert.equal(((await readOne()) as { version: number }).version, 3)
  })

  test('a read of a database that accepts connections but never answers fails after the timeout', async () => {
    proxy.freeze()
    const started = performance.now()
    const errors = await Promise.all([readOne(), readOne(), readOne(), readOne()].map(apiErrorOf))
    assert.deepEqual(new Set(errors.map(({ code }) => code)), new Set(['UNAVAILABLE']))
    assert.ok(performance.now() - started < 20_000)
    await proxy.stop()
    await proxy.restart()
    while ((await readOne().catch(() => null)) === null) await sleep(50)
  })
})
