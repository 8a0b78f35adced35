// Reads from a replica. It is a second database with a row of its own, so that a test sees which one answered. The test sets its
// replication position: functions of its schema shadow those of the server.
// stores: postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { makeTestDatabase, type TestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'

const sdl = `
type User @account @allow { id: ID!, email: String! @unique }
type Note @allow { id: ID!, text: String! }
`

const silent = { info() {}, warn() {}, error() {} }

test('reads go to a replica, but a viewer who has just written reads the primary until the replica has the write', async (t) => {
  const { ask, replica } = await setUp(t)
  assert.equal(
    (await ask('GET', '/notes/1')).text,
    'of the primary',
    'a replica that may not have the tables gets no reads',
  )
  const ann = await signUp(ask)
  await replica.catchUp()
  await seen(() => ask('GET', '/notes/1'), 'of the replica')
  await seen(() => ask('GET', '/notes/1', ann), 'of the replica')

  await replica.stopReplay()
  assert.equal((await ask('PATCH', '/notes/2', ann, { text: 'changed' })).status, 200)
  assert.equal((await ask('GET', '/notes/2', ann)).text, 'changed')
  await pause(700)
  assert.equal((await ask('GET', '/notes/2', ann)).text, 'changed')
  assert.equal((await ask('GET', '/notes/2')).text, 'of the replica', 'others can wait')

  await replica.catchUp()
  await seen(() => ask('GET', '/notes/2', ann), 'of the replica')
})

test('a JSON patch reads the row from the primary', async (t) => {
  const { ask, replica } = await setUp(t)
  await replica.catchUp()
  await seen(() => ask('GET', '/notes/1'), 'of the replica')
  const patch = [
    { op: 'test', path: '/text', value: 'of the primary' },
    { op: 'replace', path: '/text', value: 'patched' },
  ]
  assert.equal((await ask('PATCH', '/notes/1', null, patch)).status, 200)
})

test('a replica that is unavailable or too far behind is not used until it has recovered', async (t) => {
  const { ask, replica, connection } = await setUp(t)
  await replica.catchUp()
  await seen(() => ask('GET', '/notes/1'), 'of the replica')

  connection.cut()
  for (let sent = 0; sent < 20; sent++) {
    assert.deepEqual(await ask('GET', '/notes/1'), { status: 200, text: 'of the primary' })
    await pause(10)
  }
  connection.mend()
  await seen(() => ask('GET', '/notes/1'), 'of the replica')

  await replica.stopReplay()
  await seen(() => ask('GET', '/notes/1'), 'of the primary')
})

type Ask = (
  method: string,
  path: string,
  token?: string | null,
  body?: object,
) => Promise<{ status: number; text: unknown }>

async function setUp(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-replicas-'))
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, sdl)
  const [primary, second] = [await makeTestDatabase(), await makeTestDatabase()]
  const open = (database: string, replicas: string[] = []) =>
    openService({ schemaFile, data: folder, database, replicas, limits: defaultLimits, log: silent })
  for (const [database, text] of [
    [primary, 'of the primary'],
    [second, 'of the replica'],
  ] as const) {
    const service = await open(database.address)
    for (const id of ['1', '2'])
      assert.equal((await requestsTo(service)('PUT', `/notes/${id}`, null, { text })).status, 201)
    await service.close()
  }
  const replica = await standIn(second)
  const connection = await CuttableConnection.to(replica.address)
  const service = await open(primary.address, [connection.address])
  t.after(async () => {
    await service.close()
    await connection.close()
    await primary.drop()
    await second.drop()
    rmSync(folder, { recursive: true })
  })
  return { ask: requestsTo(service), replica, connection }
}

function requestsTo(service: Service): Ask {
  return async (method, path, token, body) => {
    const headers = {
      'content-type': Array.isArray(body)
        ? 'application/json-patch+json'
        : method === 'PATCH'
          ? 'application/merge-patch+json'
          : 'application/json',
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    }
    const more = body === undefined ? { headers } : { headers, body: JSON.stringify(body) }
    const reply = await service.handle(plainRequest(method, path, more))
    const row = reply.body ? (JSON.parse(String(reply.body)) as { text?: unknown; token?: unknown }) : {}
    return { status: reply.status, text: row.text ?? row.token }
  }
}

async function signUp(ask: Ask): Promise<string> {
  const login = { email: 'ann@example.org', password: 'correct horse battery' }
  assert.equal((await ask('POST', '/users', null, login)).status, 201)
  return String((await ask('POST', '/tokens', null, login)).text)
}

async function seen(ask: () => Promise<{ text: unknown }>, expected: string, timeoutMs = 30_000): Promise<void> {
  const until = performance.now() + timeoutMs
  let text: unknown
  while (performance.now() < until) {
    text = (await ask()).text
    if (text === expected) return
    await pause(20)
  }
  assert.equal(text, expected)
}

/** It has replicated nothing yet. */
async function standIn({ raw, address }: TestDatabase) {
  await raw.script(`
    CREATE TABLE replay (at pg_lsn); INSERT INTO replay VALUES ('0/0');
    CREATE FUNCTION pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true';
    CREATE FUNCTION pg_last_wal_replay_lsn() RETURNS pg_lsn LANGUAGE sql AS 'SELECT coalesce(at, pg_current_wal_lsn()) FROM replay'`)
  const own = new URL(address)
  own.searchParams.set('search_path', `${own.searchParams.get('search_path')},pg_catalog`)
  return {
    address: own.href,
    catchUp: () => raw.query('UPDATE replay SET at = NULL'),
    stopReplay: () => raw.query('UPDATE replay SET at = pg_current_wal_flush_lsn()'),
  }
}

/** A connection to a server that can be cut. */
class CuttableConnection {
  readonly address: string
  readonly #server: Server
  readonly #sockets: Set<Socket>
  readonly #state: { isCut: boolean }

  private constructor(address: string, server: Server, sockets: Set<Socket>, state: { isCut: boolean }) {
    this.address = address
    this.#server = server
    this.#sockets = sockets
    this.#state = state
  }

  static async to(address: string): Promise<CuttableConnection> {
    const url = new URL(address)
    const { port, hostname } = url
    const sockets = new Set<Socket>()
    const state = { isCut: false }
    const server = createServer((near) => {
      if (state.isCut) return near.destroy()
      const far = dial(Number(port), hostname)
      for (const socket of [near, far]) sockets.add(socket.on('error', () => {}))
      near.pipe(far).pipe(near)
      return near
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url.port = String((server.address() as { port: number }).port)
    return new CuttableConnection(url.href, server, sockets, state)
  }

  cut(): void {
    this.#state.isCut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  mend(): void {
    this.#state.isCut = false
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
