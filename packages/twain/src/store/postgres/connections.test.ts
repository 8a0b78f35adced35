import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from './connect.ts'
import { Connections } from './connections.ts'
import { makeTestDatabase } from './test-database.fixture.ts'

const silent = { info() {}, warn() {}, error() {} }

test('none is left over, whenever connections are closed or exchanged, and what was asked is answered', async (t) => {
  const database = await makeTestDatabase()
  t.after(() => database.drop())
  const name = `twain-test-${process.pid}`
  const address = new URL(database.address)
  address.searchParams.set('application_name', name)
  const watcher = connect(database.address, { size: 1, time: 30 })
  t.after(() => watcher.end())
  const left = async () => {
    const [row] = await watcher`SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = ${name}`
    return row!.count as number
  }
  for (const wait of [0, 0, 2, 5, 10, 20]) {
    const connections = new Connections(address.href, { size: 6, time: 30 }, silent)
    const asked = Array.from({ length: 60 }, () => connections.ask('SELECT 1', []))
    await sleep(wait)
    if (wait === 5) for (let n = 0; n < 2000; n++) connections.noteStatement()
    await connections.close()
    assert.equal((await Promise.all(asked)).length, 60)
    await assert.rejects(connections.ask('SELECT 1', []), { code: 'UNAVAILABLE' })
  }
  for (let tries = 0; (await left()) > 0 && tries < 200; tries++) await sleep(20)
  assert.equal(await left(), 0)
})
