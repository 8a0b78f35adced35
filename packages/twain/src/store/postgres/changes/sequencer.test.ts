import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { silent } from '../../store.fixture.ts'
import { connect } from '../connect/connect.ts'
import { DatabaseProxy } from '../database-proxy.fixture.ts'
import { openTestLog, openTestNode } from './change-log.fixture.ts'
import type { PostgresChangeLog } from './change-log.ts'
import { assignPositions, assignPositionsTo, lockLog } from './sequencer.ts'

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
    // Between two batches: a server does not change its timeline while a connection lasts.
    await log.database.raw.script(`${lockLog}; UPDATE server SET timeline = '2'`)
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

  const atBeginning = ['9223372036854775807:9223372036854775807:', '-1'] as const
  /** Waiting entries, of one transaction. */
  const writeMany = (from: number, to: number) =>
    log.database.raw.query(
      `INSERT INTO twain_change (resource, id, kind, version, time) SELECT 'Row', n::text, 'updated', 1, '2026'
       FROM generate_series(${from}, ${to}) AS n`,
    )
  const literals = (sql: string, [snapshot, n]: readonly [string, string]) =>
    sql.replaceAll('$1', `'${snapshot}'`).replaceAll('$2', n)

  test('has a plan that never reads the whole log, also if it is made while most entries are new', async () => {
    await writeMany(1, 2000)
    for (const analyze of ['SELECT 1', 'ANALYZE twain_change']) {
      await log.database.raw.query(analyze)
      const rows = await log.database.raw.script(`${lockLog}; EXPLAIN (GENERIC_PLAN) ${assignPositions}`)
      const plan = rows
        .at(-1)!
        .map((row) => row['QUERY PLAN'])
        .join('\n')
      assert.match(plan, /(Index Scan using|Index Scan on) twain_change_fresh/)
      assert.match(plan, /Index (Only )?Scan using twain_change_waiting/)
      assert.doesNotMatch(plan, /Seq Scan on twain_change/)
    }
  })

  test('reads as much for a batch whatever waits, and whatever a long transaction keeps', async () => {
    const { raw } = log.database
    /** The pages that a batch of 500 read to find its entries; assigns them if it is to. */
    const batch = async (start: readonly [string, string], end: 'COMMIT' | 'ROLLBACK') => {
      const sql = literals(assignPositionsTo(500), start)
      const rows = await raw.script(`BEGIN; ${lockLog}; EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}; ${end}`)
      const explained = rows.find(([row]) => row !== undefined && 'QUERY PLAN' in row)![0]!['QUERY PLAN']
      const [{ Plan: plan }] = JSON.parse(explained as string) as [{ Plan: PlanNode }]
      const fresh = plan.Plans!.find((node) => node['Subplan Name'] === 'CTE fresh')!
      return fresh['Shared Hit Blocks'] + fresh['Shared Read Blocks']
    }
    await writeMany(1, 2000)
    const few = await batch(atBeginning, 'ROLLBACK')
    await writeMany(2001, 40_000)
    const many = await batch(atBeginning, 'ROLLBACK')
    assert.ok(many < 2 * few, `${few} pages with 2,000 waiting entries, ${many} with 40,000`)
    const reader = connect(log.database.address, { size: 1, time: 30 })
    await reader.begin(async (long) => {
      await long.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
      await long.query('SELECT count(*) FROM twain_change')
      let start: readonly [string, string] = atBeginning
      for (let round = 0; round < 20; round++) {
        const rows = await raw.script(`${lockLog}; ${literals(assignPositionsTo(500), start)}`)
        const { given, snapshot, top } = rows.at(-1)![0] as Record<string, string>
        assert.equal(Number(given), 500)
        start = [snapshot!, String(top)]
      }
      const later = await batch(start, 'ROLLBACK')
      assert.ok(later < 2 * few, `${few} pages for the first batch, ${later} for the 21st`)
    })
    await reader.end()
  })

  for (const [name, sql, isRight] of [
    ['follows `n`', assignPositionsTo(1), true],
    [
      'by transactions would be wrong',
      assignPositionsTo(1).replaceAll(/ORDER BY n(?= LIMIT|\))/g, 'ORDER BY tx, n'),
      false,
    ],
  ] as const) {
    test(`the order of positions ${name}: a transaction that began first may write the later version of a row`, async () => {
      const other = connect(log.database.address, { size: 1, time: 30 })
      await other.begin(async (first) => {
        await first.query('SELECT pg_current_xact_id()')
        await write('version 1') // of a transaction that began second, and for whose lock the first would have waited
        await first.query(insert('version 2'))
      })
      await other.end()
      for (const _ of ['a batch', 'another']) await log.database.raw.script(`${lockLog}; ${literals(sql, atBeginning)}`)
      const ids = await log.database.raw.values('SELECT id FROM twain_change ORDER BY seq')
      assert.deepEqual(ids.flat(), isRight ? ['version 1', 'version 2'] : ['version 2', 'version 1'])
    })
  }

  test('assigns positions to what commits late with a small number while a backlog is caught up, before what follows it', async () => {
    const { raw } = log.database
    const other = connect(log.database.address, { size: 1, time: 30 })
    let start: readonly [string, string] = atBeginning
    const assign = async () => {
      const rows = await raw.script(`${lockLog}; ${literals(assignPositionsTo(2), start)}`)
      const { given, snapshot, top } = rows.at(-1)![0] as Record<string, string>
      start = [snapshot!, Number(given) === 2 ? String(top) : '9223372036854775807']
    }
    await other.begin(async (late) => {
      await late.query(insert('late'))
      await write('a', 'b', 'c', 'd')
      await assign()
    })
    await write('e')
    for (let batch = 0; batch < 3; batch++) await assign()
    await other.begin(async (late) => {
      await late.query(insert('later'))
      await write('f')
      await assign()
    })
    await assign()
    await other.end()
    const ids = await raw.values('SELECT id FROM twain_change ORDER BY seq')
    assert.deepEqual(ids.flat(), ['a', 'b', 'late', 'c', 'd', 'e', 'f', 'later'])
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

interface PlanNode {
  'Subplan Name'?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: PlanNode[]
}
