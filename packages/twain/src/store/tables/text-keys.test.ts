// The keys of texts through upgrades: data of an older Twain, other writers, @collation that comes and goes, copies.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { loadModel } from '#model'
import { migrateStore } from '../databases.ts'
import { openTestStore, silent, TestStore } from '../store.fixture.ts'
import { planDroppedColumns } from './dropped-columns.ts'
import { layOut } from './layout.ts'

const sdl = 'type Post { id: ID! title: String @index note: String }'
const names = ['Zoë', 'bob', 'Émile', 'Bob', 'anna', 'Ångström']
const inOrder = ['Ångström', 'anna', 'Bob', 'bob', 'Émile', 'Zoë']

test('a file of an older Twain gets its keys and its indexes at the start', async () => {
  const store = await openTestStore(sdl)
  for (const title of names) await store.create('Post', { title })
  await store.store.close()
  makeOld(store.data)
  const again = await TestStore.open(store.data, sdl)
  const [served] = await again.query('SELECT count(*) AS n FROM twain_schema')
  assert.equal(served!.n, 1)
  assert.deepEqual(await titles(again), inOrder)
  const indexes = await again.query(`SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'Post(%'`)
  assert.deepEqual(indexes, [{ name: 'Post(key of title,title,id)' }])
  await again.close()
})

/** Removes what an older Twain does not have. */
function makeOld(data: string): void {
  const database = new DatabaseSync(join(data, 'twain.db'))
  database.exec(`DROP INDEX "Post(key of title,title,id)"; CREATE INDEX "Post(title,id)" ON Post (title, id);
    ALTER TABLE Post DROP COLUMN "key of title"; ALTER TABLE Post DROP COLUMN "key of note";
    UPDATE twain_schema SET names = replace(names, ',"keyed":1', '')`)
  database.close()
}

test('migrate repairs the keys of texts that an older Twain wrote since', async () => {
  const store = await openTestStore(sdl)
  for (const title of names) await store.create('Post', { title })
  await store.store.close()
  const database = new DatabaseSync(join(store.data, 'twain.db'))
  database.exec(
    `INSERT INTO Post (id, _version, title) VALUES ('x', 1, 'Ällä'); UPDATE Post SET title = 'Öl' WHERE title = 'bob'`,
  )
  database.close()
  const steps: string[] = []
  const options = { model: loadModel(sdl, ''), sdl, allowBreaking: false, drop: false, log: silent }
  await migrateStore({ data: store.data, database: null, ...options, onStep: (step) => steps.push(step) })
  assert.equal(steps.length, 1)
  const again = await TestStore.open(store.data, sdl)
  assert.deepEqual(await titles(again), ['Ällä', 'Ångström', 'anna', 'Bob', 'Émile', 'Öl', 'Zoë'])
  await again.close()
})

test('a field that had @collation(name: BINARY) for a while gets its keys again', async () => {
  const store = await openTestStore(sdl)
  await store.create('Post', { title: 'Zoë' })
  await store.store.close()
  const binary = await TestStore.open(store.data, sdl.replace('@index', '@index @collation(name: BINARY)'))
  for (const title of names.slice(1)) await binary.create('Post', { title })
  assert.deepEqual(await titles(binary), ['Bob', 'Zoë', 'anna', 'bob', 'Ångström', 'Émile'])
  await binary.store.close()
  const folded = await TestStore.open(store.data, sdl)
  assert.deepEqual(await titles(folded), inOrder)
  await folded.close()
})

test('keys that nothing writes any more are dropped with --drop', () => {
  const first = layOut(loadModel(sdl, ''), null)
  const { names: later } = layOut(
    loadModel(sdl.replace('String @index', 'String @collation(name: BINARY)'), ''),
    first.names,
  )
  const { dropped, names: rest } = planDroppedColumns(later)
  assert.deepEqual(dropped, { tables: [], columns: { Post: ['key of title'] } })
  assert.equal(rest.tables.Post!.columns.title!.keyed, undefined)
  assert.equal(rest.tables.Post!.columns.note!.keyed, 1)
})

test('a type with very many texts has keys for the first of them, and sorts by all', () => {
  const fields = Array.from({ length: 1000 }, (_, index) => `t${index}: String`)
  const { layout } = layOut(loadModel(`type Wide { id: ID! ${fields.join(' ')} }`, ''), null)
  assert.equal([...layout.tables.values()][0]!.keys!.size, 400)
})

async function titles(store: TestStore): Promise<unknown[]> {
  return (await store.many('Post', { order: ['title'], select: ['title'] })).map(({ title }) => title)
}
