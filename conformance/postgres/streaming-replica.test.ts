// A primary and a real streaming replica of it, as one list in `--database`: reads go to the replica, a viewer reads its own writes
// while replication is paused, and no request fails when the replica has ended. (`replicas.test.ts` has the detailed cases.)
// stores: postgres

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { connect, type Database } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { PostgresProcess } from '../harness/postgres-process.ts'
import { ServerProcess } from '../harness/server-process.ts'

test('--database PRIMARY,REPLICA', { timeout: 120_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'twain-streaming-'))
  const schemaFile = join(folder, 'schema.graphql')
  await writeFile(schemaFile, 'type Note @allow { id: ID!, text: String! }')
  const database = await PostgresProcess.start()
  const replica = await database.startStandby()
  const list = `${database.address},${replica}`
  const [node, other] = await Promise.all([
    ServerProcess.start(schemaFile, folder, ['--database', list]),
    ServerProcess.start(schemaFile, folder, ['--database', list]),
  ])
  const raw = connect(replica, { size: 1, time: 30 })
  t.after(async () => {
    await raw.end(1).catch(() => undefined)
    await Promise.all([node.stop(), other.stop()])
    await database.end()
    await rm(folder, { recursive: true })
  })
  const write = async (id: string) => {
    const init = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"text":"one"}' }
    assert.equal((await fetch(`${node.address}/notes/${id}`, init)).status, 201)
  }
  const read = async (from: ServerProcess, id: string) => (await fetch(`${from.address}/notes/${id}`)).status

  await write('first')
  await readsArrive(raw, () => read(other, 'first'))

  await raw.query('SELECT pg_wal_replay_pause()')
  for (let at = 0; at < 40; at++) {
    await write(`n${at}`)
    assert.equal(await read(node, `n${at}`), 200, 'who has written reads it')
  }
  assert.equal(await read(other, 'n39'), 404, 'another node may answer from before, as the docs say')
  await raw.query('SELECT pg_wal_replay_resume()')
  const until = performance.now() + 30_000
  while ((await read(other, 'n39')) !== 200) {
    assert.ok(performance.now() < until, 'the replica has caught up')
    await pause(20)
  }

  await database.endStandby()
  for (let at = 0; at < 40; at++) assert.equal(await read(other, `n${at}`), 200, 'the primary answers')
})

/** Until the statistics of the replica show the reads. */
async function readsArrive(replica: Database, read: () => Promise<number>): Promise<void> {
  const count = async () => {
    const [row] = await replica.query(
      'SELECT xact_commit::int AS n FROM pg_stat_database WHERE datname = current_database()',
    )
    return Number(row!.n)
  }
  const until = performance.now() + 60_000
  for (;;) {
    const before = await count()
    for (let at = 0; at < 100; at++) assert.equal(await read(), 200)
    await pause(1200) // updated once a second
    if ((await count()) - before >= 80) return
    assert.ok(performance.now() < until, 'reads go to the replica')
  }
}
