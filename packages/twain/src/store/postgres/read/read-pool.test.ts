import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../connect/connect.ts'
import { makeTestDatabase } from '../test-database.fixture.ts'
import { FakeServer, respondNormally } from './fake-server.fixture.ts'
import { ReadPool } from './read-pool.ts'
import { bound, columns, complete, parsed, ready, row } from './server-messages.fixture.ts'

const selectCount = 'SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = $1'
const silent = { info() {}, warn() {}, error() {} }

test('closing the pool at any time answers the pending queries and leaves no connection open', async (t) => {
  const database = await makeTestDatabase()
  t.after(() => database.drop())
  const name = `twain-test-${process.pid}`
  const address = new URL(database.address)
  address.searchParams.set('application_name', name)
  const watcher = connect(database.address, { size: 1, time: 30 })
  t.after(() => watcher.end())
  const left = async () => {
    const [row] = await watcher.query(selectCount, [name])
    return row!.count as number
  }
  for (const wait of [0, 0, 2, 5, 10, 20]) {
    const pool = new ReadPool(address.href, { size: 6, time: 30 }, silent)
    const pending = Array.from({ length: 60 }, () => pool.query('SELECT 1', []))
    await sleep(wait)
    await pool.close()
    assert.equal((await Promise.all(pending)).length, 60)
    await assert.rejects(pool.query('SELECT 1', []), { code: 'UNAVAILABLE' })
  }
  for (let tries = 0; (await left()) > 0 && tries < 200; tries++) await sleep(20)
  assert.equal(await left(), 0)
})

/** Answers a statement with its own text, so that a wrong assignment shows. */
function echo(bytes: Buffer): Buffer {
  const sql = /SELECT \d+/.exec(bytes.toString('latin1'))![0]
  return Buffer.concat([parsed, columns(25), bound, row(sql), complete, ready])
}

test('an answer after the timeout goes to no query', async (t) => {
  let late: (() => void) | null = null
  const server = await FakeServer.start((socket, bytes, at) => {
    if (at < 2) return respondNormally(socket, bytes, at)
    if (late !== null) return echo(bytes)
    late = () => socket.write(echo(bytes))
    return null
  })
  const pool = new ReadPool(server.address, { size: 1, time: 3 }, silent)
  t.after(async () => {
    await pool.close()
    await server.close()
  })
  await assert.rejects(pool.query('SELECT 1', []), { code: 'UNAVAILABLE', message: /longer than 3 s/ })
  const next = pool.query('SELECT 2', [])
  late!()
  assert.deepEqual(await next, [['SELECT 2']])
  assert.deepEqual(await pool.query('SELECT 3', []), [['SELECT 3']])
})

test('a thousand waiting queries get their own answers, even if pool are lost meanwhile', async (t) => {
  let answered = 0
  const server = await FakeServer.start((socket, bytes, at) => {
    if (at < 2) return respondNormally(socket, bytes, at)
    if (++answered % 100 === 0) socket.destroy()
    return echo(bytes)
  })
  const pool = new ReadPool(server.address, { size: 1, time: 30 }, silent)
  t.after(async () => {
    await pool.close()
    await server.close()
  })
  const pending = Array.from({ length: 1000 }, (_, n) => pool.query(`SELECT ${n}`, []))
  await assert.rejects(pool.query('SELECT', []), { code: 'UNAVAILABLE', message: /Too many/ })
  const outcomes = await Promise.allSettled(pending)
  const lost = outcomes.filter(({ status }) => status === 'rejected')
  assert.equal(lost.length, 10)
  for (const [n, outcome] of outcomes.entries())
    if (outcome.status === 'fulfilled') assert.deepEqual(outcome.value, [[`SELECT ${n}`]])
  assert.equal(server.sockets.size <= 1, true)
})

test('a pool that is closed while queries wait opens no new connection', async (t) => {
  const server = await FakeServer.start((socket, bytes, at) => (at < 2 ? respondNormally(socket, bytes, at) : null))
  t.after(() => server.close())
  const pool = new ReadPool(server.address, { size: 2, time: 1 }, silent)
  const pending = Array.from({ length: 20 }, (_, n) => pool.query(`SELECT ${n}`, []))
  const outcomes = Promise.allSettled(pending)
  await pool.close()
  assert.equal((await outcomes).filter(({ status }) => status === 'rejected').length, 20)
  for (let tries = 0; server.sockets.size > 0 && tries < 200; tries++) await sleep(20)
  assert.equal(server.sockets.size, 0)
})
