// `twain migrate` changes the data as a start would, prints the changes beforehand, and drops columns that no schema uses any more.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { run } from '../../packages/twain/src/cli/cli.ts'
import { loadModel } from '../../packages/twain/src/model/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { openStore } from '../../packages/twain/src/store/index.ts'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { makeEmptyPlace, testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'

const first =
  'type Post { id: ID! title: String note: String writer: User } type User { id: ID! name: String } type Old { id: ID! }'
const wider = first.replace(
  'note: String',
  'note: String kind: String! @default(value: "it\'s") @index text: String @search',
)
const next = `${wider.replace('title', 'heading: String @unique title')} type Tag { id: ID! posts: [Post!]! }`
const less = 'type Post { id: ID! title: String } type User { id: ID! name: String }'

async function setUp(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-migrate-'))
  const place = await makeEmptyPlace(join(folder, 'data'))
  t.after(async () => {
    await place.drop()
    rmSync(folder, { recursive: true })
  })
  const file = join(folder, 'schema.graphql')
  const twain = async (sdl: string, ...flags: string[]) => {
    writeFileSync(file, sdl)
    let [out, err] = ['', '']
    const code = await run(['migrate', file, ...place.flags, ...flags], {
      env: {},
      out: (text) => (out += text),
      err: (text) => (err += text),
      colours: { out: false, err: true },
      stop: new AbortController().signal,
    })
    return { code, out, err }
  }
  const open = (sdl: string) =>
    openStore({ ...place.place, model: loadModel(sdl, 'a.graphql'), sdl, limits: defaultLimits, log: silent })
  return { folder, place, twain, open, shape: () => shapeOf(join(folder, 'data'), place.place.database) }
}

/** Every table with its columns, and every index. */
async function shapeOf(data: string, address: string | null, statements: readonly string[] = []): Promise<string[]> {
  if (address !== null) {
    const database = connect(address, { size: 1, time: 0 })
    for (const statement of statements) await database.script(statement)
    const rows = await database.query(`
      SELECT c.relname || '.' || a.attname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
      UNION ALL SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1`)
    await database.end()
    return rows.map((row) => String(row.name))
  }
  const database = new DatabaseSync(join(data, 'twain.db'))
  for (const statement of statements) database.exec(statement)
  const rows = database
    .prepare(
      `SELECT m.name || '.' || c.name AS name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'
       UNION ALL SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY 1`,
    )
    .all()
  database.close()
  return rows.map((row) => String(row.name))
}

test('--dry-run prints the changes and makes none', async (t) => {
  const [one, two] = [await setUp(t), await setUp(t)]
  for (const { open } of [one, two]) await (await open(first)).close()
  const before = await one.shape()
  const { code, out } = await one.twain(next, '--dry-run')
  assert.equal(code, 0)
  assert.match(out, /ALTER TABLE "Post" ADD COLUMN "text"/)
  assert.match(out, /-- .*words/)
  assert.deepEqual(await one.shape(), before)

  assert.equal((await one.twain(next)).code, 0)
  const statements = out
    .split(/;\n/)
    .map((part) => part.replaceAll(/^--.*\n/gm, ''))
    .filter((part) => part.trim() !== '')
  await shapeOf(join(two.folder, 'data'), two.place.place.database, statements)
  assert.deepEqual(await two.shape(), await one.shape())
})

test('after a migration a start changes nothing, and a second migration says so', async (t) => {
  const { twain, open, shape } = await setUp(t)
  const fresh = await twain(first)
  assert.deepEqual([fresh.code, /now fits .*/.test(fresh.err)], [0, true])
  await twain(next)
  const made = await shape()
  await (await open(next)).close()
  assert.deepEqual(await shape(), made)
  assert.match((await twain(next)).err, /already fits /)
  assert.equal((await twain(next, '--dry-run')).out, '-- Nothing to do.\n')
})

test('a breaking change is refused; unused columns stay until --drop', async (t) => {
  const { folder, twain, open, shape } = await setUp(t)
  const store = await open(first)
  await store.close()
  const refused = await twain(less)
  assert.equal(refused.code, 1)
  assert.match(refused.err, /field Post\.note was removed/)
  assert.equal((await twain(less, '--dry-run')).code, 1)

  assert.equal((await twain(less, '--allow-breaking')).code, 0)
  assert.ok((await shape()).includes('Post.note'))
  const planned = (await twain(less, '--dry-run', '--drop')).out
  assert.match(planned, /ALTER TABLE .*"Post" .*DROP COLUMN .*"note"/)
  assert.match(planned, /DROP TABLE .*"Old"/)
  const dropped = await twain(less, '--drop')
  assert.equal(dropped.code, 0, dropped.err)
  const left = await shape()
  for (const column of ['Post.note', 'Post.writer', 'Old.id']) assert.ok(!left.includes(column), column)
  assert.ok(left.includes('Post.title'))
  assert.equal((await twain(less, '--drop', '--dry-run')).out, '-- Nothing to do.\n')
  if (testedStore === 'sqlite') assert.equal(readdirSync(join(folder, 'data', 'backups')).length, 1)

  // The old schema gets new columns.
  await (await open(first)).close()
  assert.ok((await shape()).includes('Post.note'))
})

test('a folder in use is not migrated, but --dry-run works', async (t) => {
  if (testedStore === 'postgres') return // its nodes go on
  const { folder, twain, open } = await setUp(t)
  const store = await open(first)
  t.after(() => store.close())
  assert.match((await twain(next, '--dry-run')).out, /ADD COLUMN/)
  const refused = await twain(next)
  assert.equal(refused.code, 1)
  assert.equal(existsSync(join(folder, 'data', 'backups')), false)
})
