import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { silent } from '../../store.fixture.ts'
import { DatabaseProxy } from '../database-proxy.fixture.ts'
import { makeTestDatabase } from '../test-database.fixture.ts'
import { awaitDatabase } from './await-database.ts'
import { reserveSession } from './reserve-session.ts'

test('a start waits for the database and logs it once', async (t) => {
  const database = await makeTestDatabase()
  const proxy = await DatabaseProxy.open(database.address)
  t.after(async () => {
    await proxy.close()
    await database.drop()
  })
  await proxy.stop()
  const logged: unknown[] = []
  const log = {
    ...silent,
    warn: (fields: object, message: string) => void logged.push([message, (fields as { database: string }).database]),
  }
  const waiting = awaitDatabase(proxy.address, 20, log)
  await sleep(800)
  await proxy.restart()
  await waiting
  assert.deepEqual(logged, [['waiting for the database', addressOf(proxy.address)]])
})

test('a database that stays away, or refuses the credentials, refuses the start with a sentence', async (t) => {
  const database = await makeTestDatabase()
  t.after(() => database.drop())
  const nowhere = new URL(database.address)
  nowhere.port = '1'
  await assert.rejects(awaitDatabase(nowhere.href, 0.3, silent), /can't be used: .*ECONNREFUSED/)
  const unknown = new URL(database.address)
  unknown.pathname = '/nothing'
  await assert.rejects(awaitDatabase(unknown.href, 20, silent), /database "nothing" does not exist/)
})

test('an abort signal ends the wait at once', async () => {
  const stop = new AbortController()
  const nowhere = 'postgres://twain@127.0.0.1:1/nothing'
  const waiting = awaitDatabase(nowhere, 600, silent, stop.signal)
  await sleep(300)
  const began = performance.now()
  stop.abort()
  await assert.rejects(waiting, (error) => error === stop.signal.reason)
  await assert.rejects(awaitDatabase(nowhere, 600, silent, stop.signal), { name: 'AbortError' })
  assert.ok(performance.now() - began < 10_000)
})

test('a proxy without servers, which accepts connections and closes them, ends the wait and a migration', async (t) => {
  const proxy = createServer((socket) => socket.end()) // as HAProxy does; a reset would be an error for the driver
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.after(() => proxy.close())
  const address = `postgres://twain@127.0.0.1:${(proxy.address() as AddressInfo).port}/postgres`
  await Promise.all([
    assert.rejects(awaitDatabase(address, 0.3, silent), /can't be used: .*CONNECT_FAILED/),
    assert.rejects(reserveSession(address, 'SELECT 1'), { code: 'CONNECT_FAILED' }),
  ])
})

function addressOf(address: string): string {
  const { host, pathname } = new URL(address)
  return `postgres://${host}${pathname}`
}
