import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from './connect.ts'
import { Connections } from './connections.ts'
import { makeTestDatabase } from './test-database.fixture.ts'

const silent = { info() {}, warn() {}, error() {} }

test('none is left over, whenever connections are closed, and what was asked is answered', async (t) => {
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
    await connections.close()
    assert.equal((await Promise.all(asked)).length, 60)
    await assert.rejects(connections.ask('SELECT 1', []), { code: 'UNAVAILABLE' })
  }
  for (let tries = 0; (await left()) > 0 && tries < 200; tries++) await sleep(20)
  assert.equal(await left(), 0)
})

test('a connection that has prepared 2,000 statements is ended, and another goes on', async (t) => {
  const database = await makeTestDatabase()
  t.after(() => database.drop())
  const connections = new Connections(database.address, { size: 1, time: 30 }, silent)
  t.after(() => connections.close())
  const session = async () => (await connections.ask('SELECT pg_backend_pid()', []))[0]![0]
  const first = await session()
  for (let n = 0; n < 1999; n++) assert.deepEqual(await connections.ask(`SELECT ${n}`, []), [[n]])
  assert.notEqual(await session(), first)
})
