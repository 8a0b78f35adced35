// A migration of a data folder is killed before each of its statements: the next start finds the folder unchanged, and both schemas
// can start on it.
// stores: sqlite

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { loadModel } from '../../../packages/twain/src/model/index.ts'
import { openWriteConnection } from '../../../packages/twain/src/store/sqlite/connect/connect.ts'
import { migrate } from '../../../packages/twain/src/store/sqlite/migrate/migrate.ts'

const before = 'type Post { id: ID! title: String! old: Int @deprecated by: User @deprecated } type User { id: ID! }'
const after = `type Post { id: ID! headline: String! @index @was(name: "title") size: Int! @default(value: 7) tags: [Tag!]! }
  type User { id: ID! } type Tag { id: ID! name: String @unique }`

test('a migration that is killed before any of its statements changes nothing', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-migration-kill-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const first = join(folder, 'first')
  cpSync(mkdtempSync(join(folder, 'empty-')), first, { recursive: true })
  start(first, before)
  const filled = new DatabaseSync(join(first, 'twain.db'))
  filled.exec(`INSERT INTO User (id, _version) VALUES ('u', 1)`)
  filled.exec(`INSERT INTO Post (id, _version, title, old, by) VALUES ('p', 1, 'one', 3, 'u')`)
  filled.close()
  const untouched = look(first)
  const done = join(folder, 'done')
  cpSync(first, done, { recursive: true })
  start(done, after)
  const migrated = look(done)

  let kills = 0
  for (let number = 1; ; number++) {
    const data = join(folder, String(number))
    cpSync(first, data, { recursive: true })
    const script = join(import.meta.dirname, 'migrate-sqlite-until.ts')
    const { status, signal, stderr } = spawnSync(process.execPath, [script, data, after, String(number)])
    if (status === 0) break
    assert.equal(signal, 'SIGKILL', String(stderr))
    kills++
    assert.deepEqual(look(data), untouched, `killed before statement ${number}`)
    if (number % 2 === 0) {
      start(data, before)
      assert.deepEqual(look(data), untouched)
    }
    start(data, after)
    assert.deepEqual(look(data), migrated)
    rmSync(data, { recursive: true })
  }
  t.diagnostic(`${kills} statements, each killed once`)
  assert.ok(kills > 20, String(kills))
})

function start(data: string, sdl: string): void {
  const database = openWriteConnection(join(data, 'twain.db'))
  try {
    migrate(database, loadModel(sdl, 'test.graphql'), sdl, { data, allowBreaking: false })
  } finally {
    database.close()
  }
}

/** The tables and indexes, the rows, and which schemas were served. */
function look(data: string) {
  const database = new DatabaseSync(join(data, 'twain.db'))
  try {
    const all = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .map((row) => ({ ...row }))
    return {
      whole: all('PRAGMA integrity_check'),
      tables: all('SELECT name, sql FROM sqlite_schema ORDER BY name'),
      posts: all('SELECT * FROM Post'),
      users: all('SELECT * FROM User'),
      contracts: all('SELECT sdl, names FROM twain_schema ORDER BY n'),
    }
  } finally {
    database.close()
  }
}
