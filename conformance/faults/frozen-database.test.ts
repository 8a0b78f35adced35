// A database that does not respond any more, as on a hung machine or a broken network: the server still stops on SIGTERM.
// stores: postgres

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { DatabaseProxy } from '../../packages/twain/src/store/postgres/database-proxy.fixture.ts'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { ServerProcess } from '../harness/server-process.ts'

test('a server stops although its database does not respond', { timeout: 200_000 }, async (t) => {
  const database = await makeTestDatabase()
  const between = await DatabaseProxy.open(database.address)
  const folder = await mkdtemp(join(tmpdir(), 'twain-frozen-'))
  t.after(async () => {
    await between.close()
    await database.drop()
    await rm(folder, { recursive: true })
  })
  const schemaFile = join(folder, 'schema.graphql')
  await writeFile(schemaFile, 'type Note @allow { id: ID! text: String! }')
  const flags = ['--database', between.address, '--limits-time-seconds', '2']
  const server = await ServerProcess.start(schemaFile, folder, flags, undefined, {}, 100)
  t.after(() => server.kill())
  const write = (text: string) =>
    fetch(`${server.address}/notes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    })
  const stream = await fetch(`${server.address}/changes`, { headers: { accept: 'text/event-stream' } })
  assert.equal((await write('a')).status, 201)

  between.freeze()
  const refused = await write('b')
  assert.equal(refused.status, 503)
  await server.stop()
  assert.match(server.output, /"stopped"/)
  await stream.body?.cancel().catch(() => undefined)
})
