import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { openTestLog } from '../postgres/changes/change-log.fixture.ts'
import { openTestStore, type StoreName } from '../store.fixture.ts'
import { replacedClock } from '../store-clock.ts'
import type { ChangeLog, ChangeRecord } from './change-log.ts'

interface OpenLog {
  changes: ChangeLog
  /** Commits a change without the store. */
  write(entry: Partial<Record<keyof ChangeRecord, string>>): Promise<void>
  close(): Promise<void>
}

describe('the change log (sqlite)', () => theSame('sqlite', openSqliteLog))
describe('the change log (postgres)', () => theSame('postgres', openPostgresLog))

function theSame(on: StoreName, open: () => Promise<OpenLog>): void {
  let log: OpenLog
  before(async () => {
    log = await open()
  })
  after(() => log.close())
  const start = async () => (await log.changes.bounds()).start.position
  const end = async () => (await log.changes.bounds()).end.position
  const positions = async (from: number, limit: number) =>
    (await log.changes.read(log.changes.point(from), limit)).map(({ position }) => position)

  test('is empty at first, and has an id', async () => {
    assert.match(log.changes.log, /^[0-9a-f]{32}$/)
    assert.deepEqual([await start(), await end()], [0, 0])
    assert.deepEqual(await log.changes.read(log.changes.point(0), 10), [])
  })

  test('returns committed changes, and wakes its watchers', async () => {
    let wakes = 0
    const unwatch = log.changes.watch(() => wakes++)
    for (const id of ['a', 'b', 'c']) await log.write({ id, time: '2026-01-01T00:00:00.000Z' })
    await until(async () => (await end()) === 3 && wakes > 0)
    unwatch()
    assert.deepEqual(await log.changes.read(log.changes.point(1), 1), [
      {
        epoch: log.changes.point(2).epoch,
        position: 2,
        resource: 'Note',
        id: 'b',
        kind: 'updated',
        version: 1,
        time: '2026-01-01T00:00:00.000Z',
        after: '{"text":"é"}',
        before: null,
        by: null,
        via: null,
        trace: null,
      },
    ])
    assert.deepEqual(await positions(0, 10), [1, 2, 3])
    assert.deepEqual(await positions(3, 10), [])
  })

  test('returns fewer large changes at once, but always one', async () => {
    const image = 'x'.repeat(3_000_000)
    for (const text of [image, image, image + image]) await log.write({ after: text })
    await until(async () => (await end()) === 6)
    assert.deepEqual(await positions(2, 10), [3, 4, 5])
    assert.deepEqual(await positions(4, 10), [5, 6])
    assert.deepEqual(await positions(5, 10), [6])
  })

  test('deletes its oldest changes, and none after a change that stays', async () => {
    const clock = { now: Date.parse('2026-01-02T00:00:00.000Z') }
    const prune = (maxAgeMs: number) =>
      log.changes.prune(
        replacedClock(() => clock.now),
        maxAgeMs,
      )
    // PostgreSQL goes by the times of the changes, SQLite by the time at which it has found them.
    if (on === 'sqlite') assert.equal(await prune(10), 0)
    await log.write({ time: '2026-01-01T00:00:00.000Z' })
    await until(async () => (await end()) === 7)
    if (on === 'sqlite') {
      clock.now += 9
      assert.equal(await prune(10), 0)
      clock.now += 1
      assert.equal(await prune(10), 6)
    } else {
      assert.equal(await prune(0), 3)
      assert.equal(await start(), 3)
    }
    assert.equal(await prune(10), 0)
    assert.deepEqual(await positions(6, 10), [7])
    await prune(-1e12)
    assert.equal(await start(), 7)
    await log.write({})
    await until(async () => (await end()) === 8)
    assert.deepEqual(await positions(7, 10), [8])
  })
}

const insert = 'INSERT INTO twain_change (resource, id, kind, version, time, after) VALUES'
const entry = { resource: 'Note', id: 'a', kind: 'updated', version: '1', time: '2026-01-03', after: '{"text":"é"}' }

async function openSqliteLog(): Promise<OpenLog> {
  const store = await openTestStore('type Note { id: ID! text: String }')
  const database = new DatabaseSync(join(store.data, 'twain.db'), { timeout: 5000 })
  const changes = store.store.changes as ChangeLog & { wrote(): void }
  return {
    changes,
    async write(change) {
      database.prepare(`${insert} (?, ?, ?, ?, ?, ?)`).run(...Object.values({ ...entry, ...change }))
      changes.wrote()
    },
    async close() {
      database.close()
      await store.close()
    },
  }
}

async function openPostgresLog(): Promise<OpenLog> {
  const { database, open, close } = await openTestLog()
  const { changes } = await open()
  return {
    changes,
    async write(change) {
      await database.raw.query(`${insert} ($1, $2, $3, $4, $5, $6)`, Object.values({ ...entry, ...change }))
      changes.wrote()
    },
    close,
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await isSo()); waited++) {
    assert.ok(waited < 500, 'it did not come to this')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
