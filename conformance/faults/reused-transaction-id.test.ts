// After a crash PostgreSQL reuses the id of a transaction of which nothing was on disk. A client that asks for the status of this id
// alone takes the commit of another transaction for its own: before this test that happened in one of seven outages.
// stores: postgres

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { bodyText, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { openService } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { DatabaseProxy } from '../../packages/twain/src/store/postgres/database-proxy.fixture.ts'
import { PostgresProcess } from '../harness/postgres-process.ts'

const log = { info() {}, warn() {}, error() {} }

test('the commit of another transaction with the same id is not reported as ours', { timeout: 60_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'twain-number-'))
  const schemaFile = join(folder, 'schema.graphql')
  await writeFile(schemaFile, 'type Entry @allow { id: ID!, code: String! @unique }')
  const server = await PostgresProcess.start()
  const proxy = await DatabaseProxy.open(server.address)
  const service = await openService({ schemaFile, data: folder, database: proxy.address, limits: defaultLimits, log })
  t.after(async () => {
    await service.close()
    await proxy.close()
    await server.end()
    await rm(folder, { recursive: true })
  })
  const write = (method: 'PUT' | 'PATCH', code: string) => {
    const headers = { 'content-type': 'application/json' }
    return service.handle(plainRequest(method, '/entries/e1', { headers, body: JSON.stringify({ code }) }))
  }
  assert.equal((await write('PUT', 'first')).status, 201)

  // If something later was on disk already, the id is not reused, and the write is repeated.
  let stored = 'first'
  for (let round = 0; ; round++) {
    assert.ok(round < 10, 'the server never reused the id')
    const code = `lost${round}`
    const crashed = crashBefore(code, server, proxy)
    const reply = await write('PATCH', code)
    await crashed()
    const text = await bodyText(reply)
    if (reply.status === 200) stored = code
    else assert.match(`${reply.status} ${text}`, /^503 .*not known/s)
    const rows = await service.handle(plainRequest('GET', '/entries?fields=code', {}))
    assert.deepEqual(JSON.parse(await bodyText(rows)), [{ code: stored }])
    if (reply.status === 503) return
  }
})

/** The first message of the write reads the row and is answered, with the transaction id; the second does not arrive. */
function crashBefore(code: string, server: PostgresProcess, proxy: DatabaseProxy): () => Promise<void> | null {
  let crashed: Promise<void> | null = null
  proxy.choose.store = (bytes) => {
    if (crashed !== null || !bytes.includes(code)) return 'pass'
    proxy.dropConnections()
    crashed ??= crash(server, proxy)
    return 0
  }
  return () => crashed
}

/** When the store can check the outcome, other transactions have used the ids. */
async function crash(server: PostgresProcess, proxy: DatabaseProxy): Promise<void> {
  const away = proxy.stop()
  await server.stopServer('SIGQUIT')
  await server.startServer()
  const raw = connect(server.address, { size: 1, time: 10 })
  for (let other = 0; other < 50; other++) await raw.query('SELECT pg_current_xact_id()')
  await raw.end()
  await away
  proxy.choose.store = () => 'pass'
  await proxy.restart()
}
