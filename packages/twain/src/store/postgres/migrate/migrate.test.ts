import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { loadModel } from '#model'
import type { Layout } from '../../tables/layout.ts'
import { Session } from '../connect/session.ts'
import { DatabaseProxy } from '../database-proxy.fixture.ts'
import { foldFunction } from '../fold-function.ts'
import { makeTestDatabase, type TestDatabase } from '../test-database.fixture.ts'
import { migrate, migrationLock } from './migrate.ts'

const first = 'type Post { id: ID! title: String author: User body: String } type User { id: ID! }'

describe('a migration on PostgreSQL', () => {
  let database: TestDatabase
  before(async () => {
    database = await makeTestDatabase()
  })
  after(() => database.drop())

  const start = (sdl: string, allowBreaking = false): Promise<Layout> =>
    migrate(database.address, { model: loadModel(sdl, 'test.graphql'), sdl, allowBreaking })
  const refusal = async (sdl: string): Promise<string> => {
    const error = await start(sdl).then(
      () => assert.fail('it started'),
      (error: Error) => error,
    )
    assert.equal(error.name, 'StartRefused', error.stack)
    return error.message
  }
  const column = async (sql: string): Promise<unknown[]> => (await database.raw.values(sql)).map(([one]) => one)
  const columns = () =>
    column(`SELECT attname FROM pg_attribute WHERE attrelid = '"Post"'::regclass AND attnum > 0 AND NOT attisdropped`)
  const served = async () => (await column('SELECT count(*) FROM twain_schema'))[0]
  const indexes = () =>
    column(
      `SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND indexname LIKE 'twain %' ORDER BY 1`,
    )

  test('of several starts at the same time one creates the tables', async () => {
    await Promise.all([start(first), start(first), start(first)])
    assert.deepEqual(await columns(), [
      '_n',
      'id',
      '_version',
      'title',
      'key of title',
      'body',
      'key of body',
      'author',
    ])
    assert.deepEqual(await indexes(), ['twain Post(author,id)'])
    assert.equal(await served(), 1)
    await database.raw.query(`INSERT INTO "Post" (id, _version, title) VALUES ('a', 1, 'x'), ('b', 1, 'x')`)
  })

  test('a word index of an earlier build has no list of new words any more, also with the same schema', async (t) => {
    const other = await makeTestDatabase()
    t.after(() => other.drop())
    const sdl = 'type Post { id: ID! title: String @search }'
    const startOther = () =>
      migrate(other.address, { model: loadModel(sdl, 'test.graphql'), sdl, allowBreaking: false })
    const options = () => other.raw.values(`SELECT reloptions::text FROM pg_class WHERE relname = 'twain Post(_words)'`)
    await startOther()
    assert.deepEqual(await options(), [['{fastupdate=off}']])
    await other.raw.query('ALTER INDEX "twain Post(_words)" RESET (fastupdate)')
    await startOther()
    assert.deepEqual(await options(), [['{fastupdate=off}']])
  })

  test('a database of an earlier build gets the function that folds texts, also with the same schema', async () => {
    await database.raw.query(`DROP FUNCTION ${foldFunction}(text)`)
    await Promise.all([start(first), start(first)])
    assert.deepEqual(await column(`SELECT ${foldFunction}('Zoë')`), ['zoe'])
    assert.equal(await served(), 1)
  })

  test('identities of an earlier build get ids, and so do those that its nodes still insert', async () => {
    await database.raw.query('ALTER TABLE twain_identity DROP COLUMN id, DROP COLUMN provider')
    const insert = (subject: string) =>
      database.raw.query(
        `INSERT INTO twain_identity (issuer, subject, account, created, used) VALUES ('i', '${subject}', 'a', 'now', 'now')`,
      )
    await insert('before')
    await start(first)
    await insert('after')
    const ids = await column('SELECT id FROM twain_identity')
    assert.equal(new Set(ids).size, 2)
    assert.ok(ids.every((id) => typeof id === 'string'))
    await database.raw.query('DELETE FROM twain_identity')
  })

  test('API keys of an earlier build stay, and have no last use yet', async () => {
    await database.raw.query('ALTER TABLE twain_key DROP COLUMN seen')
    await database.raw.query(`INSERT INTO twain_key (id, hash, roles, created) VALUES ('k1', 'h', '[]', 'then')`)
    await start(first)
    assert.deepEqual(await column('SELECT seen FROM twain_key'), [null])
    await database.raw.query('DELETE FROM twain_key')
  })

  test('a new field gets its default, and a new index does not block writers', async () => {
    await start(
      'type Post { id: ID! title: String @index author: User body: String size: Int! @default(value: 7) tags: [String!] } type User { id: ID! }',
    )
    assert.deepEqual(await column('SELECT size FROM "Post"'), [7, 7])
    assert.deepEqual(
      await column(
        `SELECT indisvalid FROM pg_index WHERE indexrelid = '"twain Post(key of title,title,id)"'::regclass`,
      ),
      [true],
    )
    assert.equal(await served(), 2)
    // A node that still serves the previous schema names only the columns that it knows.
    await database.raw.query(`INSERT INTO "Post" (id, _version, title) VALUES ('c', 1, 'y')`)
    assert.deepEqual(await column(`SELECT size FROM "Post" WHERE id = 'c'`), [7])
  })

  test('a breaking schema is refused, and nothing changes', async () => {
    const message = await refusal('type Post { id: ID! } type User { id: ID! }')
    assert.match(message, /^The data in postgres:\/\/[\d.:]+\/postgres was made with a schema \(Post, User\)/)
    assert.match(message, /field Post\.title was removed/)
    assert.match(message, /another database \(--database\)/)
    assert.equal(await served(), 2)
  })

  const indexed = `type Post {
    id: ID! title: String @index author: User body: String @index size: Int! @default(value: 7) tags: [String!] more: Any
  } type User { id: ID! } union Any = Post | User`

  test('a start of the previous schema undoes an interrupted migration', async () => {
    const random = `(SELECT string_agg(md5(n::text), '') FROM generate_series(1, 1000) n)`
    await database.raw.query(`UPDATE "Post" SET body = ${random}`)
    const previous = (await column('SELECT sdl FROM twain_schema ORDER BY n DESC LIMIT 1'))[0] as string
    assert.match(await refusal(indexed), /too long for an index of the schema: index row requires/)
    assert.deepEqual(await column('SELECT count(*) FROM twain_migration'), [1]) // as if it had been killed there
    assert.ok((await columns()).includes('more_type'))
    await start(previous)
    assert.deepEqual(await columns(), [
      '_n',
      'id',
      '_version',
      'title',
      'key of title',
      'body',
      'key of body',
      'author',
      'size',
      'tags',
    ])
    assert.deepEqual(await column('SELECT count(*) FROM twain_migration'), [0])
    assert.equal(await served(), 2)
    assert.deepEqual(await indexes(), ['twain Post(author,id)', 'twain Post(key of title,title,id)'])
  })

  test('columns that an interrupted migration was to retire still have their values', async () => {
    const previous = (await column('SELECT sdl FROM twain_schema ORDER BY n DESC LIMIT 1'))[0] as string
    await database.raw.query(`UPDATE "Post" SET tags = '["kept"]'`)
    await assert.rejects(start(indexed.replace('tags: [String!]', ''), true), /too long for an index/)
    assert.deepEqual(await column('SELECT count(*) FROM twain_migration'), [1])
    await start(previous)
    assert.deepEqual(await column('SELECT tags::text FROM "Post"'), ['["kept"]', '["kept"]', '["kept"]'])
    assert.equal(await served(), 2)
  })

  test('a start of the same schema continues an interrupted migration', async () => {
    await refusal(indexed)
    await database.raw.query(`UPDATE "Post" SET body = 'short'`)
    await start(indexed)
    assert.equal(await served(), 3)
    assert.ok((await indexes()).includes('twain Post(key of body,body,id)'))
  })

  test('an index of the operator stays, and an index of Twain goes with the field’s @index', async () => {
    await database.raw.query('CREATE INDEX mine ON "Post" (size)')
    await start(indexed.replace('body: String @index', 'body: String'))
    assert.deepEqual(await indexes(), [
      'twain Post(author,id)',
      'twain Post(key of title,title,id)',
      'twain Post(more,more_type,id)',
    ])
    assert.deepEqual(
      await column(`SELECT count(*) FROM pg_indexes WHERE indexname = 'mine' AND schemaname = current_schema()`),
      [1],
    )
  })

  test('a table that another transaction has locked refuses the start after a while', async () => {
    await database.raw.begin(async (holder) => {
      await holder.query('SELECT 1 FROM "Post"')
      const message = await refusal(
        indexed.replace('body: String @index', 'body: String').replace('more: Any', 'more: Any last: Int'),
      )
      assert.match(message, /locked by another transaction/)
    })
    assert.ok(!(await columns()).includes('last'))
  })
})

test('names that are too long for PostgreSQL, or reserved by it, get other storage names', async (t) => {
  const database = await makeTestDatabase()
  t.after(() => database.drop())
  const long = 'x'.repeat(70)
  const sdl = `type ${long} { id: ID! ${long}: String @index ${long}2: String @index xmin: Int ctid: Int ${long}s: [Tag!]! } type Tag { id: ID! }`
  await migrate(database.address, { model: loadModel(sdl, 'test.graphql'), sdl, allowBreaking: false })
  await migrate(database.address, { model: loadModel(sdl, 'test.graphql'), sdl, allowBreaking: false })
})

test('the error of an unreachable address does not show its password', async () => {
  const model = loadModel(first, 'test.graphql')
  const refused = migrate('postgres://ann:secret@127.0.0.1:1/db', { model, sdl: first, allowBreaking: false })
  await assert.rejects(refused, ({ name, message }: Error) => {
    assert.equal(name, 'StartRefused')
    assert.match(message, /^The database postgres:\/\/127\.0\.0\.1:1\/db can't be used: .*ECONNREFUSED/)
    assert.doesNotMatch(message, /secret|ann/)
    return true
  })
})

test('a connection that is lost between two statements refuses the start, without a crash', async (t) => {
  const database = await makeTestDatabase()
  const proxy = await DatabaseProxy.open(database.address)
  t.after(async () => {
    await proxy.close()
    await database.drop()
  })
  const lockHolder = await Session.open({ address: database.address, time: 30 })
  await lockHolder.query(`SELECT pg_advisory_lock(${migrationLock})`)
  const refused = migrate(proxy.address, {
    model: loadModel(first, 'test.graphql'),
    sdl: first,
    allowBreaking: false,
  })
  let tries = 0
  proxy.choose.store = (bytes) => {
    if (bytes.includes('pg_try_advisory_lock') && ++tries === 2) setTimeout(() => proxy.dropConnections(), 50) // while it sleeps
    return 'pass'
  }
  await assert.rejects(refused, { name: 'StartRefused', message: /can't be used: .*CONNECTION/ })
  await lockHolder.query(`SELECT pg_advisory_unlock(${migrationLock})`)
  await lockHolder.close()
})
