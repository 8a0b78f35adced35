// A migration of a PostgreSQL database is killed before each of its messages: the next start finishes it or rolls it back, and the
// rows are unchanged.
// stores: postgres

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadModel } from '../../../packages/twain/src/model/index.ts'
import { DatabaseProxy } from '../../../packages/twain/src/store/postgres/database-proxy.fixture.ts'
import { migrate } from '../../../packages/twain/src/store/postgres/migrate/migrate.ts'
import {
  makePreparedDatabase,
  type TestDatabase,
} from '../../../packages/twain/src/store/postgres/test-database.fixture.ts'

const before = 'type Post { id: ID! title: String! old: Int @deprecated by: User @deprecated } type User { id: ID! }'
const after = `type Post { id: ID! headline: String! @index @was(name: "title") size: Int! @default(value: 7) tags: [Tag!]! }
  type User { id: ID! } type Tag { id: ID! name: String @unique }`

test('a migration that is killed before any of its messages is finished or rolled back by the next start', {
  timeout: 480_000,
}, async (t) => {
  let kills = 0
  for (let number = 1; await killedAt(number); number++) kills++
  t.diagnostic(`${kills} messages, each killed once`)
  assert.ok(kills > 15, String(kills))
})

/** False when there are fewer. */
async function killedAt(number: number): Promise<boolean> {
  const database = await makePreparedDatabase()
  const between = await DatabaseProxy.open(database.address)
  try {
    await start(database.address, before)
    await database.raw.query(`INSERT INTO "User" (id, _version) VALUES ('u', 1)`)
    await database.raw.query(`INSERT INTO "Post" (id, _version, title, old, by) VALUES ('p', 1, 'one', 3, 'u')`)
    const untouched = await look(database)
    const child = spawn(process.execPath, [join(import.meta.dirname, 'migrate-postgres.ts'), between.address, after])
    let left = number
    between.choose.store = () => {
      if (--left !== 0) return 'pass'
      child.kill('SIGKILL')
      return 0
    }
    const [code] = await once(child, 'exit')
    if (left > 0) {
      assert.equal(code, 0)
      return false
    }
    if (number % 2 === 0 && (await served(database)) === 1) {
      await start(database.address, before)
      assert.deepEqual(await look(database), untouched, `killed before message ${number}`)
    }
    await start(database.address, after)
    assert.equal(await served(database), 2)
    assert.deepEqual(
      [...(await database.raw.query('SELECT id, title, size, old, by FROM "Post"'))],
      [{ id: 'p', title: 'one', size: 7, old: 3, by: 'u' }],
    )
    const [begun] = await database.raw.query('SELECT count(*) AS n FROM twain_migration')
    assert.equal(Number(begun?.n), 0)
    return true
  } finally {
    await between.close()
    await database.drop()
  }
}

function start(address: string, sdl: string) {
  return migrate(address, { model: loadModel(sdl, 'test.graphql'), sdl, allowBreaking: false })
}

async function served({ raw }: TestDatabase): Promise<number> {
  const [row] = await raw.query('SELECT count(*) AS n FROM twain_schema')
  return Number(row?.n)
}

async function look({ raw }: TestDatabase) {
  const columns = await raw.query(`
    SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1, 2`)
  const indexes = await raw.query('SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1')
  return { columns: [...columns], indexes: [...indexes], posts: [...(await raw.query('SELECT * FROM "Post"'))] }
}
