import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../connect/connect.ts'
import { makeTestDatabase } from '../test-database.fixture.ts'
import { FakeServer, kind } from './fake-server.fixture.ts'
import { ReadPool } from './read-pool.ts'
import { bound, columns, complete, parsed, ready, row } from './server-messages.fixture.ts'

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
    const connections = new ReadPool(address.href, { size: 6, time: 30 }, silent)
    const asked = Array.from({ length: 60 }, () => connections.query('SELECT 1', []))
    await sleep(wait)
    await connections.close()
    assert.equal((await Promise.all(asked)).length, 60)
    await assert.rejects(connections.query('SELECT 1', []), { code: 'UNAVAILABLE' })
  }
  for (let tries = 0; (await left()) > 0 && tries < 200; tries++) await sleep(20)
  assert.equal(await left(), 0)
})

test('a connection that has prepared 2,000 statements is ended, and another goes on', async (t) => {
  const database = await makeTestDatabase()
  t.after(() => database.drop())
  const connections = new ReadPool(database.address, { size: 1, time: 30 }, silent)
  t.after(() => connections.close())
  const session = async () => (await connections.query('SELECT pg_backend_pid()', []))[0]![0]
  const first = await session()
  for (let n = 0; n < 1999; n++) assert.deepEqual(await connections.query(`SELECT ${n}`, []), [[n]])
  assert.notEqual(await session(), first)
})

/** The text of a statement that is prepared is its answer: so nobody can be given another's. */
function echo(bytes: Buffer): Buffer {
  const sql = /SELECT \d+/.exec(bytes.toString('latin1'))![0]
  return Buffer.concat([parsed, columns(25), bound, row(sql), complete, ready])
}

test('an answer that comes too late is nobody’s', async (t) => {
  let late: (() => void) | null = null
  const server = await FakeServer.start((socket, said, at) => {
    if (at < 2) return kind(socket, said, at)
    if (late !== null) return echo(said)
    late = () => socket.write(echo(said))
    return null
  })
  const connections = new ReadPool(server.address, { size: 1, time: 3 }, silent)
  t.after(async () => {
    await connections.close()
    await server.close()
  })
  await assert.rejects(connections.query('SELECT 1', []), { code: 'UNAVAILABLE', message: /longer than 3 s/ })
  const next = connections.query('SELECT 2', [])
  late!()
  assert.deepEqual(await next, [['SELECT 2']])
  assert.deepEqual(await connections.query('SELECT 3', []), [['SELECT 3']])
})

test('a thousand that wait for one connection get their own answers, over connections that are lost meanwhile too', async (t) => {
  let answered = 0
  const server = await FakeServer.start((socket, said, at) => {
    if (at < 2) return kind(socket, said, at)
    if (++answered % 100 === 0) socket.destroy()
    return echo(said)
  })
  const connections = new ReadPool(server.address, { size: 1, time: 30 }, silent)
  t.after(async () => {
    await connections.close()
    await server.close()
  })
  const asked = Array.from({ length: 1000 }, (_, n) => connections.query(`SELECT ${n}`, []))
  await assert.rejects(connections.query('SELECT', []), { code: 'UNAVAILABLE', message: /Too many/ })
  const outcomes = await Promise.allSettled(asked)
  const lost = outcomes.filter(({ status }) => status === 'rejected')
  assert.equal(lost.length, 10)
  for (const [n, outcome] of outcomes.entries())
    if (outcome.status === 'fulfilled') assert.deepEqual(outcome.value, [[`SELECT ${n}`]])
  assert.equal(server.sockets.size <= 1, true)
})

test('what is closed while all wait opens nothing again', async (t) => {
  const server = await FakeServer.start((socket, said, at) => (at < 2 ? kind(socket, said, at) : null))
  t.after(() => server.close())
  const connections = new ReadPool(server.address, { size: 2, time: 1 }, silent)
  const asked = Array.from({ length: 20 }, (_, n) => connections.query(`SELECT ${n}`, []))
  const outcomes = Promise.allSettled(asked)
  await connections.close()
  assert.equal((await outcomes).filter(({ status }) => status === 'rejected').length, 20)
  for (let tries = 0; server.sockets.size > 0 && tries < 200; tries++) await sleep(20)
  assert.equal(server.sockets.size, 0)
})
