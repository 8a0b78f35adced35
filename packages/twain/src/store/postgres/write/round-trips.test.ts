// The round trips of a write (docs/internals/decisions/0007-postgres-writes.md), counted by a proxy.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { defaultLimits } from '#plan'
import { openStore } from '../../databases.ts'
import { openTestStore, silent, type TestStore } from '../../store.fixture.ts'
import { DatabaseProxy } from '../database-proxy.fixture.ts'

const sdl = `
  type User @allow { id: ID! name: String! @unique }
  type Note @allow { id: ID! n: Int }
  type Post @allow { id: ID! title: String! author: User! }
  type Both @allow { id: ID! code: String! @unique author: User! }
  type Branch @allow { id: ID! parent: Branch }
  type Leaf @allow { id: ID! title: String! author: User! branch: Branch! }
  type Tagged @allow { id: ID! tags: [Tag!]! }
  type Tag @allow { id: ID! tagged: [Tagged!]! }
`

describe('round trips of a write whose statements are prepared', () => {
  let direct: TestStore
  let store: TestStore
  let proxy: DatabaseProxy
  let author = ''
  let tag = ''
  let codes = 0
  const code = () => `code ${codes++}`
  before(async () => {
    direct = await openTestStore(sdl, { on: 'postgres' })
    proxy = await DatabaseProxy.open(direct.place.database!)
    const { model, place } = direct
    const rest = { poolSize: 2, model, sdl, limits: defaultLimits, log: silent }
    store = direct.withStore(await openStore({ ...place, database: proxy.address, ...rest }))
    author = (await store.create('User', { name: code() })).id
    tag = (await store.create('Tag', {})).id
  })
  after(async () => {
    await store.store.close()
    await proxy.close()
    await direct.close()
  })

  async function tripsOf(write: (mark: string) => Promise<unknown>): Promise<number> {
    return (await costOf(write)).trips
  }

  /** All messages up to the next answer of the database are one round trip. */
  async function costOf(write: (mark: string) => Promise<unknown>): Promise<{ trips: number; statements: number }> {
    await write(code())
    await write(code())
    await sequenced()
    let [trips, statements] = [0, 0]
    let isWaiting = false
    proxy.choose = {
      store(bytes) {
        if (isOfSequencer(bytes)) return 'pass'
        statements += executesIn(bytes)
        if (!isWaiting) {
          isWaiting = true
          trips++
        }
        return 'pass'
      },
      database(bytes) {
        if (!bytes.includes('pg_advisory_xact_lock')) isWaiting = false
        return 'pass'
      },
    }
    await write(code())
    proxy.choose = { store: () => 'pass', database: () => 'pass' }
    return { trips, statements }
  }

  /** Then only the write sends messages. */
  async function sequenced(): Promise<void> {
    while ((await direct.query('SELECT 1 FROM twain_change WHERE seq IS NULL')).length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  test('one for a create, with unique fields and references too', async () => {
    assert.equal(await tripsOf(() => store.create('Note', { n: 1 })), 1)
    assert.equal(await tripsOf((name) => store.create('User', { name })), 1)
    assert.equal(await tripsOf((title) => store.create('Post', { title, author })), 1)
    assert.equal(await tripsOf((name) => store.create('Both', { code: name, author })), 1)
  })

  test('BEGIN and COMMIT, a statement for all checks, and one that creates the row, logs it and reads it back', async () => {
    assert.deepEqual(await costOf(() => store.create('Note', { n: 1 })), { trips: 1, statements: 4 })
    assert.deepEqual(await costOf((name) => store.create('Both', { code: name, author })), { trips: 1, statements: 4 })
    // The link, and the read back by itself.
    assert.deepEqual(await costOf(() => store.create('Tagged', { tags: [tag] })), { trips: 1, statements: 6 })
  })

  test('one statement for creates of one type that wait together, each with its own entry in the change log', async () => {
    const made: Promise<{ id: string; row: Record<string, unknown> }>[] = []
    const cost = await costOf(async () => {
      const some = Array.from({ length: 6 }, (_, n) => store.create('Note', { n }))
      made.splice(0, made.length, ...some)
      await Promise.all(some)
    })
    // BEGIN, the limits of time, the id of the transaction, 4 and 2 rows, COMMIT.
    assert.deepEqual(cost, { trips: 1, statements: 2 + 1 + 2 + 1 })
    for (const [n, { id, row }] of (await Promise.all(made)).entries()) {
      assert.deepEqual(row, { id, n })
      const [logged, ...others] = await direct.query('SELECT kind, version, after FROM twain_change WHERE id = ?1', id)
      assert.deepEqual(others, [])
      assert.deepEqual([logged!.kind, logged!.version, JSON.parse(String(logged!.after))], ['created', 1, { n }])
    }
  })

  test('one statement for all rows that such creates refer to, in several tables, or in their own', async () => {
    const parent = (await store.create('Branch', {})).id
    const branches = () => Promise.all(Array.from({ length: 6 }, () => store.create('Branch', { parent })))
    assert.deepEqual(await costOf(branches), { trips: 1, statements: 2 + 1 + 2 + 1 })
    const leaves = (title: string) =>
      Promise.all(Array.from({ length: 4 }, () => store.create('Leaf', { title, author, branch: parent })))
    assert.deepEqual(await costOf(leaves), { trips: 1, statements: 2 + 1 + 1 + 1 })
    // Unique values are checked for each, and not the references again.
    const both = (name: string) =>
      Promise.all(Array.from({ length: 4 }, (_, n) => store.create('Both', { code: `${name} ${n}`, author })))
    assert.deepEqual(await costOf(both), { trips: 1, statements: 2 + 1 + 4 + 1 + 1 })
  })

  test('a few for many rows, however many', async () => {
    const notes = Array.from({ length: 300 }, (_, n) => ({ n }))
    const few = await tripsOf(() => store.createAll('Note', notes.slice(0, 2)))
    assert.equal(await tripsOf(() => store.createAll('Note', notes)), few)
    assert.ok(few <= 4, `${few}`)
    const posts = notes.map(({ n }) => ({ title: `${n}`, author }))
    assert.ok((await tripsOf(() => store.createAll('Post', posts))) <= 5)
  })

  test('two for an update and for a delete', async () => {
    const { id } = await store.create('Note', { n: 0 })
    let n = 0
    assert.deepEqual(await costOf(() => store.update('Note', id, { n: ++n })), { trips: 2, statements: 6 })
    const ids = [await store.create('Note', {}), await store.create('Note', {}), await store.create('Note', {})]
    assert.deepEqual(await costOf(() => store.delete('Note', ids.pop()!.id)), { trips: 2, statements: 7 })
  })
})

/** The sequencer polls for changes without positions meanwhile: its statements have names of another kind (`PreparedStatements`). */
function isOfSequencer(bytes: Buffer): boolean {
  return /\0p[a-z0-9]{1,8}_\d+\0/.test(bytes.toString('latin1'))
}

/** How many Execute messages there are: the store sends whole messages, of a type, a length and a content. */
function executesIn(bytes: Buffer): number {
  let count = 0
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readUInt32BE(at + 1)) if (bytes[at] === 0x45) count++
  return count
}
