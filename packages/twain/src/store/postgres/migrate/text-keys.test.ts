// The keys of texts on a database that others write to: hand-written statements, nodes of an older Twain.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { loadModel } from '#model'
import { makeTestDatabase, type TestDatabase } from '../test-database.fixture.ts'
import { migrate } from './migrate.ts'

const sdl = 'type Post { id: ID! title: String @index note: String }'

describe('the keys of texts on PostgreSQL', () => {
  let database: TestDatabase
  before(async () => {
    database = await makeTestDatabase()
  })
  after(() => database.drop())

  const start = (text: string) =>
    migrate(database.address, { model: loadModel(text, 'test.graphql'), sdl: text, allowBreaking: false })
  const column = async (sql: string): Promise<unknown[]> => (await database.raw.values(sql)).map(([one]) => one)
  const keys = (of = 'title') => column(`SELECT "key of ${of}" FROM "Post" ORDER BY id`)

  test('triggers make them for other writers', async () => {
    await start(sdl)
    await database.raw.query(
      `INSERT INTO "Post" (id, _version, title) VALUES ('a', 1, 'Émile'), ('b', 1, NULL), ('c', 1, 'Bob')`,
    )
    assert.deepEqual(await keys(), ['emile', null, 'bob'])
    await database.raw.query(`UPDATE "Post" SET title = 'Straße', note = 'Ä' WHERE id IN ('b', 'c')`)
    assert.deepEqual(await keys(), ['emile', 'strasse', 'strasse'])
    assert.deepEqual(await keys('note'), [null, 'a', 'a'])
    await database.raw.query(`UPDATE "Post" SET title = NULL WHERE id = 'c'`)
    assert.deepEqual(await keys(), ['emile', 'strasse', null])
  })

  test('a database of an older Twain gets them, with the same schema; its indexes are replaced', async () => {
    await database.raw.query(
      `ALTER TABLE "Post" DROP COLUMN "key of title" CASCADE, DROP COLUMN "key of note" CASCADE;
      CREATE INDEX "twain Post(title,id)" ON "Post" (title, id);
      UPDATE twain_schema SET names = replace(names, ',"keyed":1', '')`,
    )
    await start(sdl)
    assert.deepEqual(await keys(), ['emile', 'strasse', null])
    assert.deepEqual(
      await column(
        `SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND indexname LIKE 'twain Post%'`,
      ),
      ['twain Post(key of title,title,id)'],
    )
    assert.deepEqual(await column('SELECT count(*) FROM twain_schema'), [1])
    await database.raw.query(`INSERT INTO "Post" (id, _version, title) VALUES ('d', 1, 'Zoë')`)
    assert.deepEqual(await keys(), ['emile', 'strasse', null, 'zoe'])
  })

  test('a page in this order reads the index from its cursor on, and sorts nothing', async () => {
    await database.raw.query(
      `INSERT INTO "Post" (id, _version, title) SELECT 'n' || n, 1, md5(n::text) FROM generate_series(1, 5000) n`,
    )
    await database.raw.query('ANALYZE "Post"')
    const plan = await column(
      `EXPLAIN SELECT id FROM "Post" WHERE ("key of title", title) > ('b', 'b') ORDER BY "key of title", title, id LIMIT 21`,
    )
    assert.match(
      plan.join(' '),
      /^Limit .*-> +Index (Only )?Scan using "twain Post\(key of title,title,id\)" .*Index Cond/,
    )
    assert.doesNotMatch(plan.join(' '), /Sort/)
    await database.raw.query(`DELETE FROM "Post" WHERE id LIKE 'n%'`)
  })

  test('a new text with a default touches no row, and older nodes write its key', async () => {
    await start(sdl.replace('note', 'kind: String! @default(value: "Ünknown") note'))
    assert.deepEqual(await keys('kind'), ['unknown', 'unknown', 'unknown', 'unknown'])
    await database.raw.query(`INSERT INTO "Post" (id, _version, title) VALUES ('e', 1, 'x')`)
    assert.deepEqual((await keys('kind')).at(-1), 'unknown')
    await database.raw.query(`INSERT INTO "Post" (id, _version, kind) VALUES ('f', 1, 'Öl')`)
    assert.deepEqual((await keys('kind')).at(-1), 'ol')
  })
})
