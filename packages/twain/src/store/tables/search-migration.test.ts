// A search is added to existing rows, changed and removed, on each store.

import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { loadModel } from '#model'
import { migrate } from '../postgres/migrate/migrate.ts'
import { fillSearch, isOutdated } from '../postgres/migrate/search-tables.ts'
import { makeTestDatabase, type TestDatabase } from '../postgres/test-database.fixture.ts'
import { searchedTables } from '../sql/search/searched-table.ts'
import { openTestStore, TestStore } from '../store.fixture.ts'

const none = 'type Post { id: ID! title: String body: String }'
const one = 'type Post { id: ID! title: String @search body: String }'
const both = 'type Post { id: ID! title: String @search body: String @search }'
const other = 'type Post { id: ID! title: String body: String @search }'

describe('a search on a data folder', () => {
  test('is filled when it is added, follows its fields, and leaves nothing when it is removed', async () => {
    const first = await openTestStore(none)
    const { data } = first
    await first.replace('Post', 'p', { title: 'Hello', body: 'World' })
    await first.store.close()

    const found = async (sdl: string, ...searches: string[]) => {
      const store = await TestStore.open(data, sdl, { allowBreaking: true })
      try {
        const lists = searches.map((search) => store.many('Post', { search, select: ['id'] }))
        return (await Promise.all(lists)).map((rows) => rows.length)
      } finally {
        await store.store.close()
      }
    }
    assert.deepEqual(await found(one, 'hello', 'world'), [1, 0])
    assert.deepEqual(await found(both, 'hello', 'world', 'hello world'), [1, 1, 1])
    assert.deepEqual(await found(other, 'hello', 'world'), [0, 1])
    await found(none)
    const tables = new DatabaseSync(join(data, 'twain.db')).prepare(
      `SELECT name FROM sqlite_master WHERE name LIKE '%words%'`,
    )
    assert.deepEqual(tables.all(), [])
    rmSync(data, { recursive: true })
  })

  test('can’t be removed from a served schema, but can in development', async () => {
    const store = await openTestStore(one)
    await store.replace('Post', 'p', { title: 'Hello' })
    await store.store.close()
    await assert.rejects(
      TestStore.open(store.data, none),
      /posts can't be searched any more\. Put @search back on title\./,
    )
    await (await TestStore.open(store.data, none, { allowBreaking: true })).close()
  })
})

describe('a search on PostgreSQL', () => {
  let database: TestDatabase
  before(async () => {
    database = await makeTestDatabase()
  })
  after(() => database.drop())

  const start = (sdl: string) =>
    migrate(database.address, { model: loadModel(sdl, 'test.graphql'), sdl, allowBreaking: true })
  const words = async () => [...(await database.raw.values(`SELECT "_words", "_worded" FROM "Post" ORDER BY id`))]

  test('is filled when it is added, and rebuilt when its fields change', async () => {
    await start(none)
    await database.raw.query(
      `INSERT INTO "Post" (id, _version, title, body) VALUES ('a', 3, 'Zoë', 'x'), ('b', 1, NULL, 'y')`,
    )
    await start(one)
    assert.deepEqual(await words(), [
      [`'1/zoe'`, '3 1:1'],
      ['', '1 1:1'],
    ])
    await start(both)
    assert.deepEqual(await words(), [
      [`'1/zoe' '2/x'`, '3 1:1,2'],
      [`'2/y'`, '1 1:1,2'],
    ])
  })

  test('fills the rows that a node with an older schema wrote', async () => {
    const layout = await start(both)
    await database.raw.query(`UPDATE "Post" SET title = 'New', _version = 4 WHERE id = 'a'`)
    await database.raw.query(`INSERT INTO "Post" (id, _version, title) VALUES ('c', 1, 'Later')`)
    const [searched] = searchedTables(layout)
    const plan = await database.raw.script(
      `SET enable_seqscan = off; EXPLAIN SELECT _n FROM "Post" WHERE ${isOutdated(searched!)} AND _n > 0 ORDER BY _n`,
    )
    assert.match(JSON.stringify(plan), /outdated words/)
    const runSql = (sql: string, parameters: unknown[]) => database.raw.values(sql, parameters)
    await fillSearch(runSql, searchedTables(layout))
    assert.deepEqual(await words(), [
      [`'1/new' '2/x'`, '4 1:1,2'],
      [`'2/y'`, '1 1:1,2'],
      [`'1/later'`, '1 1:1,2'],
    ])
  })

  test('leaves words of more columns than it searches, so that nodes do not undo each other', async () => {
    const ofOne = searchedTables(await start(one))
    const runSql = (sql: string, parameters: unknown[]) => database.raw.values(sql, parameters)
    await fillSearch(runSql, searchedTables(await start(both)))
    const filled = await words()
    await fillSearch(runSql, ofOne)
    assert.deepEqual(await words(), filled)
  })

  test('is removed with its indexes one schema later', async () => {
    const indexes = async () =>
      (
        await database.raw.values(
          `SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND indexname LIKE '%words%' ORDER BY 1`,
        )
      ).flat()
    await start(`${both} # once more`)
    const own = ['twain Post(_n) outdated words 1:1,2', 'twain Post(_words)']
    assert.deepEqual(await indexes(), own)
    // Nodes with the previous schema may still search.
    await start(none)
    assert.deepEqual(await indexes(), own)
    await start(`${none} # once more`)
    assert.deepEqual(await indexes(), [])
  })
})
