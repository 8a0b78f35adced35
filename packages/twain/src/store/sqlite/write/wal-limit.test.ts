import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { defaultLimits } from '#plan'
import { openTestStore, silent } from '../../store.fixture.ts'
import { WalLimit } from './wal-limit.ts'

test('past the limit, reads pause while the log is emptied', async (t) => {
  const calls = await truncateOnce(t, async () => true)
  assert.deepEqual(calls, ['pause', 'truncate', 'resume'])
})

test('a log that another process reads stays, with a warning, and reads go on', async (t) => {
  const calls = await truncateOnce(t, async () => false)
  const warning = 'write-ahead log stays large, because another process reads the database'
  assert.deepEqual(calls, ['pause', 'truncate', warning, 'resume'])
})

test('reads go on after a failure, too', async (t) => {
  const failed = () => Promise.reject(new Error('the disk is full'))
  assert.deepEqual(await truncateOnce(t, failed), ['pause', 'truncate', 'resume'])
})

test('a store empties its log when it is past the limit, and leaves none behind when it closes', async (t) => {
  const limits = { ...defaultLimits, walBytes: 100_000 }
  const store = await openTestStore('type A { id: ID! text: String! }', { limits })
  t.after(() => rmSync(store.data, { recursive: true }))
  const wal = join(store.data, 'twain.db-wal')
  const other = new DatabaseSync(join(store.data, 'twain.db'), { readOnly: true })
  const size = () => statSync(wal, { throwIfNoEntry: false })?.size ?? 0
  let written = 0
  do {
    await store.create('A', { text: 'x'.repeat(200_000) })
    written++
    await new Promise((resolve) => setTimeout(resolve, 50))
  } while (size() > 0)
  assert.equal((await store.many('A')).length, written)
  other.close()
  await store.store.close()
  assert.equal(size(), 0)
})

/** The calls of a limit of one byte. */
async function truncateOnce(t: { after(run: () => void): void }, truncate: () => Promise<boolean>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'twain-wal-'))
  const file = join(folder, 'twain.db')
  const database = new DatabaseSync(file)
  t.after(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x)')
  const calls: string[] = []
  const { promise: resumed, resolve } = Promise.withResolvers<void>()
  const limit = new WalLimit({
    file,
    maxBytes: 1,
    longReader: {
      pause: async () => void calls.push('pause'),
      resume: () => {
        calls.push('resume')
        resolve()
      },
    },
    truncate: () => {
      calls.push('truncate')
      return truncate()
    },
    log: { ...silent, warn: (_, message) => calls.push(message) },
  })
  limit.committed()
  limit.committed() // once at a time
  await resumed
  return calls
}
