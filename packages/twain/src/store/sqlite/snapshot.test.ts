import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openReading } from './connection.ts'
import { Snapshot } from './snapshot.ts'

function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-snapshot-'))
  const file = join(folder, 'rows.db')
  const writing = new DatabaseSync(file)
  writing.exec('PRAGMA journal_mode = WAL; CREATE TABLE row (n INTEGER)')
  const reading = openReading(file, 1000)
  const writer = { isQuiet: true }
  const snapshot = new Snapshot(reading, () => writer.isQuiet)
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
      snapshot.hold()
      return select.get()!.rows
    },
    checkpoint: () => writing.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()!.busy,
  }
}

test('a write that was told of is read: the snapshot is let go of before it', (t) => {
  const { snapshot, write, rows } = open(t)
  assert.equal(rows(), 0)
  snapshot.letGo()
  write()
  assert.equal(rows(), 1)
})

test('while a write is under way nothing is held, so that each read is as of now', (t) => {
  const { snapshot, writer, reading, write, rows } = open(t)
  assert.equal(rows(), 0)
  snapshot.letGo()
  writer.isQuiet = false
  assert.equal(rows(), 0)
  assert.equal(reading.isTransaction, false)
  write()
  assert.equal(rows(), 1)
})

test('a write of another process is seen a moment later', async (t) => {
  const { write, rows } = open(t)
  assert.equal(rows(), 0)
  write()
  assert.equal(rows(), 0, 'one look serves many reads')
  await pause(60)
  assert.equal(rows(), 1)
})

test('the log can start over once it is let go of', (t) => {
  const { snapshot, write, rows, checkpoint } = open(t)
  write()
  rows()
  assert.equal(checkpoint(), 1, 'a reader stands in its way')
  snapshot.letGo()
  assert.equal(checkpoint(), 0)
})

test('a transaction that SQLite has ended by itself is not ended again', (t) => {
  const { snapshot, reading, rows } = open(t)
  rows()
  reading.exec('ROLLBACK')
  snapshot.letGo()
  assert.equal(rows(), 0)
})
