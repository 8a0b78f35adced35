import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { silent } from '../../store.fixture.ts'
import { connect } from '../connect/connect.ts'
import { DatabaseProxy } from '../database-proxy.fixture.ts'
import { openTestLog, openTestNode } from './change-log.fixture.ts'
import type { PostgresChangeLog } from './change-log.ts'
import { assignPositions, lockLog } from './sequencer.ts'

describe('the sequencer', () => {
  let log: Awaited<ReturnType<typeof openTestLog>>
  beforeEach(async () => {
    log = await openTestLog(silent)
  })
  afterEach(() => log.close())

  const insert = (...ids: string[]) =>
    ids
      .map(
        (id) =>
          `INSERT INTO twain_change (resource, id, kind, version, time) VALUES ('Row', '${id}', 'updated', 1, '2026')`,
      )
      .join(';')
  const write = (...ids: string[]) => log.database.raw.script(insert(...ids))
  /** The ids in the order of positions, as soon as there are so many. */
  async function idsOf(changes: PostgresChangeLog, count: number): Promise<string[]> {
    const until = performance.now() + 30_000
    while ((await changes.bounds()).end.position < count && performance.now() < until) await sleep(10)
    const found = await changes.read(changes.point(0), count + 1)
    assert.deepEqual(
      found.map(({ position }) => position),
      found.map((_, index) => index + 1),
    )
    return found.map(({ id }) => id)
  }

  test('assigns positions in the order of commits, not of inserts', async () => {
    const { changes } = await log.open()
    const other = connect(log.database.address, { size: 1, time: 30 })
    await other.begin(async (late) => {
      await late.query(insert('late'))
      await write('a', 'b')
      changes.wrote()
      assert.deepEqual(await idsOf(changes, 2), ['a', 'b'])
    })
    changes.wrote()
    assert.deepEqual(await idsOf(changes, 3), ['a', 'b', 'late'])
    await other.end()
  })

  test('assigns no position to a rolled-back change, and leaves no gap', async () => {
    const { changes } = await log.open()
    await write('a')
    await log.database.raw.script(`${insert('undone')}; ROLLBACK`)
    await write('b')
    changes.wrote()
    assert.deepEqual(await idsOf(changes, 2), ['a', 'b'])
  })

  test('soon assigns positions to changes of a node that ended before its notification', async () => {
    const { changes } = await log.open()
    const started = performance.now()
    await write('a')
    assert.deepEqual(await idsOf(changes, 1), ['a'])
    assert.ok(performance.now() - started < 10_000)
  })

  test('assigns each position once when all nodes do it at the same time', async () => {
    const nodes = await Promise.all(Array.from({ length: 4 }, () => log.open()))
    for (let round = 0; round < 40; round++) {
      await sleep(25) // so that every node is idle
      await write(...Array.from({ length: 25 }, (_, n) => `${round}-${n}`))
      for (const { changes } of nodes) changes.wrote()
    }
    assert.equal((await idsOf(nodes[0]!.changes, 1000)).length, 1000)
  })

  test('begins one epoch for a new timeline, which all nodes notice, and every earlier point stays valid', async () => {
    await log.database.raw.query(`CREATE TABLE server AS SELECT '1' AS timeline`)
    const history = { system: `'one'`, timeline: '(SELECT timeline FROM server)' }
    const [one, other] = [await log.open(history), await log.open(history)]
    await write('a', 'b')
    await idsOf(one.changes, 2)
    const before = (await one.changes.bounds()).end
    const noticed = new Promise<void>((resolve) => other.changes.watch(resolve))
    await log.database.raw.query(`UPDATE server SET timeline = '2'`)
    await write('c')
    for (const { changes } of [one, other]) changes.wrote()
    await noticed
    await idsOf(one.changes, 3)
    const [change, ...more] = await other.changes.read(before, 10)
    assert.deepEqual([change?.id, change?.position, more.length], ['c', 3, 0])
    assert.notEqual(change!.epoch, before.epoch)
    const [epochs] = await log.database.raw.query('SELECT count(*)::int AS count FROM twain_epoch')
    assert.equal(epochs!.count, 2)
    await assert.rejects(one.changes.read({ epoch: before.epoch, position: 3 }, 10), { code: 'GONE' })
  })

  test('a server without the newest epoch is not believed for a while; then that epoch is lost', async () => {
    const { changes } = await log.open()
    await write('a')
    await idsOf(changes, 1)
    await log.database.raw.query(
      `INSERT INTO twain_epoch (n, id, after_position, version_floor) VALUES (1, '0a0b0c0d', 1, 100000)`,
    )
    assert.equal((await changes.bounds()).end.position, 1)
    await log.database.raw.query('DELETE FROM twain_epoch WHERE n = 1')
    await assert.rejects(changes.bounds(), { code: 'UNAVAILABLE' })
    await sleep(600)
    assert.equal((await changes.bounds()).end.position, 1)
    await assert.rejects(changes.read({ epoch: '0a0b0c0d', position: 1 }, 10), { code: 'GONE' })
  })

  test('has a plan that never reads the whole log, also if it is made while most entries are new', async () => {
    await write(...Array.from({ length: 2000 }, (_, n) => `${n}`))
    await log.database.raw.query('ANALYZE twain_change')
    const planOf = async (before: string) => {
      const plan = await log.database.raw.script(`${before}; EXPLAIN (GENERIC_PLAN) ${assignPositions}`)
      return plan
        .at(-1)!
        .map((row) => row['QUERY PLAN'])
        .join('\n')
    }
    assert.match(await planOf('SELECT 1'), /Seq Scan on twain_change/)
    const plan = await planOf(lockLog)
    assert.match(plan, /Index Scan (using|on) twain_change_fresh/)
    assert.doesNotMatch(plan, /Seq Scan on twain_change/)
  })

  test('notifies other nodes', async () => {
    const [one, other] = await Promise.all([log.open(), log.open()])
    await sleep(100) // so that no node is just polling
    const notified = new Promise<void>((resolve) => other.changes.watch(resolve))
    await write('a')
    one.changes.wrote()
    await notified
  })

  test('assigns positions and notifies again after the connections of a node were lost', async () => {
    const [one, other] = await Promise.all([log.open(), log.open()])
    let wakes = 0
    other.changes.watch(() => wakes++)
    await write('a')
    one.changes.wrote()
    assert.deepEqual(await idsOf(other.changes, 1), ['a'])
    const ofTheNodes = 'FROM pg_stat_activity WHERE application_name IN ($1, $2)'
    const count = async (what: string): Promise<number> =>
      (await log.database.raw.values<[number]>(`SELECT count(${what}) ${ofTheNodes}`, [one.name, other.name]))[0]![0]
    while ((await count('*')) < 3) await sleep(10) // two sequencers, one LISTEN
    assert.ok((await count('pg_terminate_backend(pid)')) >= 3)
    await sleep(600)
    wakes = 0
    await write('b')
    one.changes.wrote()
    while (wakes === 0) await sleep(10)
    assert.deepEqual(await idsOf(other.changes, 2), ['a', 'b'])
  })

  test('does not delay closing when the database no longer answers', { timeout: 60_000 }, async () => {
    const proxy = await DatabaseProxy.open(log.database.address)
    const node = await openTestNode(proxy.address, silent)
    node.changes.watch(() => undefined)
    await write('a')
    assert.deepEqual(await idsOf(node.changes, 1), ['a'])
    proxy.freeze()
    node.changes.wrote()
    await sleep(100) // a batch is under way, and is never answered
    await node.close()
    await proxy.close()
  })
})
