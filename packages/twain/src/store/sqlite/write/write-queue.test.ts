import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { loadModel } from '#model'
import { openTestStore, silent } from '../../store.fixture.ts'
import { layOut } from '../../tables/layout.ts'
import { openWriteConnection } from '../connect/connect.ts'
import { createSystemTables } from '../migrate/tables.ts'
import { WriteQueue } from './write-queue.ts'
import { returnWriterThread, takeWriterThread } from './writer-threads.ts'

const sdl = 'type Note { id: ID! text: String @unique after: Note }'

test('concurrent writes share a commit', async () => {
  const store = await openTestStore(sdl)
  await Promise.all(Array.from({ length: 200 }, (_, n) => store.create('Note', { text: `${n}` })))
  // The changes of a group have one time; the first write may be a group of its own.
  const times = await store.query('SELECT DISTINCT time FROM twain_change')
  assert.ok(times.length <= 4)
  assert.equal((await store.many('Note', { limit: 100 })).length, 100)
  await store.close()
})

test('a group has at most maxGroupedWrites writes', async () => {
  const store = await openTestStore(sdl, { maxGroupedWrites: 1 })
  const writes = Array.from({ length: 5 }, (_, n) => store.create('Note', { text: `${n}` }))
  const answered: string[] = []
  for (const write of writes) write.then(({ row }) => answered.push(row.text as string))
  await Promise.all(writes)
  assert.deepEqual(answered, ['0', '1', '2', '3', '4'])
  await store.close()
})

test('a refused write affects no other of its group', async () => {
  const store = await openTestStore(sdl)
  const results = await Promise.allSettled([
    store.create('Note', { text: 'a' }),
    store.create('Note', { text: 'a' }),
    store.create('Note', { text: 'b', after: 'nothing' }),
    store.create('Note', { text: 'b' }),
    store.update('Note', 'nothing', { text: 'c' }),
    store.create('Note', { text: 'c' }),
  ])
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value.row.text : result.reason.code)),
    ['a', 'CONFLICT', 'CONFLICT', 'b', 'NOT_FOUND', 'c'],
  )
  assert.equal((await store.changes()).length, 3)
  await store.close()
})

test('a write of a group sees the writes before it', async () => {
  const store = await openTestStore(sdl)
  const [, second] = await Promise.all([
    store.replace('Note', 'first', { text: 'a' }),
    store.replace('Note', 'second', { after: 'first' }),
  ])
  assert.equal(second.row.after, 'first')
  await store.close()
})

test('a write is readable as soon as it is acknowledged', async () => {
  const store = await openTestStore(sdl)
  for (let n = 0; n < 20; n++) {
    const { id } = await store.create('Note', { text: `${n}` })
    assert.equal((await store.one('Note', id))!.text, `${n}`)
  }
  await store.close()
})

test('closing finishes the pending writes, and refuses later ones', async () => {
  const store = await openTestStore(sdl)
  const writes = Promise.all(Array.from({ length: 50 }, (_, n) => store.create('Note', { text: `${n}` })))
  await store.store.close()
  assert.equal((await writes).length, 50)
  await assert.rejects(store.create('Note', { text: 'late' }), { code: 'UNAVAILABLE' })
  rmSync(store.data, { recursive: true })
})

test('a full disk refuses the write with 503 and a log entry, and the next write may succeed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-writer-'))
  const model = loadModel(sdl, 'x.graphql')
  const logged: string[] = []
  const log = { ...silent, error: (details: object, message: string) => logged.push(message, JSON.stringify(details)) }
  const file = join(folder, 'twain.db')
  const database = openWriteConnection(file)
  createSystemTables(database)
  database.exec('CREATE TABLE t (x)')
  const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number }
  database.close()
  const writer = new WriteQueue(takeWriterThread, { file, model, layout: layOut(model, null).layout }, 10, log)
  const run = (sql: string) => writer.run({ sql, parameters: [] })
  await run(`PRAGMA max_page_count = ${pages + 5}`)
  await assert.rejects(run('INSERT INTO t VALUES (zeroblob(1000000))'), {
    code: 'UNAVAILABLE',
    problems: [{ path: '', code: 'FULL', message: 'The disk of the server is full; nothing was written.' }],
    headers: { 'retry-after': '5' },
  })
  assert.match(logged.join(), /the disk is full: .*database or disk is full/)
  assert.deepEqual(await run('INSERT INTO t VALUES (1) RETURNING x'), [[[1]]])
  await assert.rejects(run('INSERT INTO nowhere VALUES (1)'), { name: 'Error' })
  await writer.close()
  rmSync(folder, { recursive: true })
})

describe('the start of the writer thread', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-writer-'))
  const file = join(folder, 'twain.db')
  const model = loadModel(sdl, 'x.graphql')
  const data = { file, model, layout: layOut(model, null).layout }
  before(() => {
    const database = openWriteConnection(file)
    createSystemTables(database)
    database.close()
  })
  after(() => rmSync(folder, { recursive: true }))

  test('is at the first write, once for writes that arrive together', async () => {
    let taken = 0
    const queue = new WriteQueue(
      () => {
        taken++
        return takeWriterThread()
      },
      data,
      10,
      silent,
    )
    assert.ok(queue.isWritable && queue.isIdle)
    assert.equal(taken, 0)
    const counts = await Promise.all([1, 2, 3].map(() => queue.run(countChanges)))
    assert.deepEqual(counts, [[[[0]]], [[[0]]], [[[0]]]])
    assert.equal(taken, 1)
    await queue.close()
  })

  test('never is in a store that only reads, and closes', async () => {
    const idle = takeWriterThread()
    returnWriterThread(idle)
    const store = await openTestStore(sdl)
    assert.equal((await store.many('Note', { limit: 1 })).length, 0)
    await store.close()
    const same = takeWriterThread()
    assert.equal(same, idle)
    await same.terminate()
  })

  test('is not needed to leave one file: what commands have written is in it', async () => {
    const store = await openTestStore(sdl)
    const command = openWriteConnection(join(store.data, 'twain.db'))
    command.exec('CREATE TABLE command (x)')
    command.close()
    assert.ok(readdirSync(store.data).includes('twain.db-wal'))
    await store.store.close()
    const files = readdirSync(store.data).filter((name) => name.startsWith('twain.db'))
    assert.deepEqual(files, ['twain.db'])
    rmSync(store.data, { recursive: true })
  })

  test('tells that the thread has committed before the event loop has its results', async () => {
    const queue = new WriteQueue(takeWriterThread, data, 10, silent)
    await queue.run(countChanges)
    assert.equal(queue.hasResults, false)
    const done = queue.run(countChanges)
    await nextTurn() // sends it; the loop has taken no results since
    for (const until = performance.now() + 10_000; !queue.hasResults && performance.now() < until; );
    assert.equal(queue.hasResults, true)
    await done
    assert.equal(queue.hasResults, false)
    await queue.close()
  })

  test('fails the waiting writes if it fails, and the next write starts another thread', async () => {
    const logged: string[] = []
    const log = { ...silent, error: (_: object, message: string) => logged.push(message) }
    const broken = [
      () => new Worker('throw new Error("no memory")', { eval: true }),
      () => new Worker('process.exit(3)', { eval: true }),
      () => {
        throw new Error('no thread')
      },
    ]
    const queue = new WriteQueue(() => broken.shift()?.() ?? takeWriterThread(), data, 10, log)
    const notStarted = { code: 'UNAVAILABLE', message: 'The database writer did not start; nothing was written.' }
    const first = await Promise.allSettled([queue.run(countChanges), queue.exclusive(async () => {})])
    for (const result of first) {
      assert.ok(result.status === 'rejected')
      assert.partialDeepStrictEqual({ ...result.reason, message: result.reason.message }, notStarted)
    }
    await assert.rejects(queue.run(countChanges), notStarted)
    await assert.rejects(queue.run(countChanges), notStarted)
    assert.deepEqual(logged, Array(3).fill('database writer did not start'))
    assert.equal(queue.isWritable, false) // and it tries again
    while (!queue.isWritable) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.deepEqual(await queue.run(countChanges), [[[0]]])
    await queue.close()
  })
})

const countChanges = { sql: 'SELECT count(*) FROM twain_change', parameters: [] }

test('the writer thread of a closed store writes for the next one', async () => {
  const first = await openTestStore(sdl)
  await first.create('Note', { text: 'a' })
  await first.close()
  const thread = takeWriterThread()
  assert.ok(thread.threadId > 0)
  returnWriterThread(thread)

  const next = await openTestStore('type Page { id: ID! title: String }')
  const { row } = await next.create('Page', { title: 'b' })
  assert.equal(row.title, 'b')
  const another = takeWriterThread()
  assert.notEqual(another.threadId, thread.threadId, 'a thread with a file is not idle')
  await another.terminate()
  await next.close()
})
