import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openReadConnection } from '../connect/connect.ts'
import { Snapshot } from './snapshot.ts'

/** Held for a minute, so that no pause of the machine ends what a test looks at. */
function open(t: TestContext, longest = 60_000) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-snapshot-'))
  const file = join(folder, 'rows.db')
  const writing = new DatabaseSync(file)
  writing.exec('PRAGMA journal_mode = WAL; CREATE TABLE row (n INTEGER)')
  const reading = openReadConnection(file, 1000)
  const writer = { isQuiet: true }
  const snapshot = new Snapshot(reading, () => writer.isQuiet, longest)
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

test('a write that was told of is read: the snapshot is let go of before it', (t) => {
  const { snapshot, write, rows } = open(t)
  assert.equal(rows(), 0)
  snapshot.release()
  write()
  assert.equal(rows(), 1)
})

test('while a write is under way nothing is held, so that each read is as of now', (t) => {
  const { snapshot, writer, reading, write, rows } = open(t)
  assert.equal(rows(), 0)
  snapshot.release()
  writer.isQuiet = false
  assert.equal(rows(), 0)
  assert.equal(reading.isTransaction, false)
  write()
  assert.equal(rows(), 1)
})

test('one look serves many reads, and a write of another process is seen a moment later', async (t) => {
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

test('two looks have the same number when nobody wrote between them, and another one else', (t) => {
  const { snapshot, writer, write } = open(t)
  const look = () => {
    snapshot.release()
    return snapshot.acquire()
  }
  const first = look()
  assert.equal(snapshot.acquire(), first)
  assert.equal(look(), first)
  write()
  assert.equal(snapshot.acquire(), first, 'it is still the same look')
  const second = look()
  assert.notEqual(second, first)
  assert.equal(look(), second)
  writer.isQuiet = false
  assert.equal(look(), null)
})

test('the log can start over once it is let go of', (t) => {
  const { snapshot, write, rows, checkpoint } = open(t)
  write()
  rows()
  assert.equal(checkpoint(), 1, 'a reader stands in its way')
  snapshot.release()
  assert.equal(checkpoint(), 0)
})

test('a transaction that SQLite has ended by itself is not ended again', (t) => {
  const { snapshot, reading, rows } = open(t)
  rows()
  reading.exec('ROLLBACK')
  snapshot.release()
  assert.equal(rows(), 0)
})
