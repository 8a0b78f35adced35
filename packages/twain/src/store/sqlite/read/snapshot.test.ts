import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openReadConnection } from '../connect/connect.ts'
import { Snapshot } from './snapshot.ts'

/** A snapshot lasts a minute, so that a slow machine does not end it during a test. */
function open(t: TestContext, maxAgeMs = 60_000) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-snapshot-'))
  const file = join(folder, 'rows.db')
  const writing = new DatabaseSync(file)
  writing.exec('PRAGMA journal_mode = WAL; CREATE TABLE row (n INTEGER)')
  const reading = openReadConnection(file, 1000)
  const writer = { isIdle: true }
  const snapshot = new Snapshot(reading, () => writer.isIdle, maxAgeMs)
  const select = reading.prepare('SELECT count(*) AS rows FROM row')
  t.after(() => {
    reading.close()
    writing.close()
    rmSync(folder, { recursive: true })
  })
  return {
    snapshot,
    writer,
    reading,
    write: () => writing.exec('INSERT INTO row VALUES (1)'),
    rows: () => {
      snapshot.acquire()
      return select.get()!.rows
    },
    checkpoint: () => writing.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()!.busy,
  }
}

test('a read after a write of this process sees it: the snapshot is released before the write', (t) => {
  const { snapshot, write, rows } = open(t)
  assert.equal(rows(), 0)
  snapshot.release()
  write()
  assert.equal(rows(), 1)
})

test('while a write is under way there is no snapshot, and each read sees the latest commit', (t) => {
  const { snapshot, writer, reading, write, rows } = open(t)
  assert.equal(rows(), 0)
  snapshot.release()
  writer.isIdle = false
  assert.equal(rows(), 0)
  assert.equal(reading.isTransaction, false)
  write()
  assert.equal(rows(), 1)
})

test('one snapshot serves many reads, and a write of another process is visible soon after', async (t) => {
  const long = open(t)
  assert.equal(long.rows(), 0)
  long.write()
  assert.equal(long.rows(), 0)
  const short = open(t, 50)
  assert.equal(short.rows(), 0)
  short.write()
  await pause(60)
  assert.equal(short.rows(), 1)
})

test('two snapshots have the same data version if nobody wrote between them', (t) => {
  const { snapshot, writer, write } = open(t)
  const nextVersion = () => {
    snapshot.release()
    return snapshot.acquire()
  }
  const first = nextVersion()
  assert.equal(snapshot.acquire(), first)
  assert.equal(nextVersion(), first)
  write()
  assert.equal(snapshot.acquire(), first, 'it is still the same snapshot')
  const second = nextVersion()
  assert.notEqual(second, first)
  assert.equal(nextVersion(), second)
  writer.isIdle = false
  assert.equal(nextVersion(), null)
})

test('the write-ahead log can be truncated after the release', (t) => {
  const { snapshot, write, rows, checkpoint } = open(t)
  write()
  rows()
  assert.equal(checkpoint(), 1, 'a reader blocks it')
  snapshot.release()
  assert.equal(checkpoint(), 0)
})

test('a transaction that SQLite has ended is not ended again', (t) => {
  const { snapshot, reading, rows } = open(t)
  rows()
  reading.exec('ROLLBACK')
  snapshot.release()
  assert.equal(rows(), 0)
})
