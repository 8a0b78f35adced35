// A stop and a reload end in time, whatever clients do.
// stores: sqlite

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ServerProcess } from '../harness/server-process.ts'
import { TestService } from '../harness/test-service.ts'

test('SIGTERM ends the process within limits.drainSeconds, also while custom code hangs', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'twain-stop-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const schemaFile = join(folder, 'schema.graphql')
  await writeFile(schemaFile, 'type Note @allow { id: ID! text: String! }\ntype Query { hang: String @allow }')
  await writeFile(
    join(folder, 'twain.config.ts'),
    `export default { resolvers: { Query: { hang: () => new Promise(() => setInterval(() => {}, 1000)) } } }`,
  )
  const limits = ['--limits-drain-seconds', '2', '--limits-time-seconds', '0', '--limits-code-seconds', '0']
  const server = await ServerProcess.start(schemaFile, join(folder, 'data'), limits)
  const hanging = fetch(`${server.address}/graphql?query={hang}`).catch((error) => error)
  while (!/http_server_active_requests [2-9]/.test(await (await fetch(`${server.address}/metrics`)).text()))
    await new Promise((resolve) => setTimeout(resolve, 20))

  const began = performance.now()
  await server.stop()

  const seconds = (performance.now() - began) / 1000
  assert.ok(seconds < 10, `it took ${seconds} s`)
  assert.ok((await hanging) instanceof Error)
})

test('a client that does not read its export holds up no reload', async (t) => {
  const sdl = 'type Note { id: ID! text: String! }'
  const service = await TestService.open(t, sdl)
  for (let n = 0; n < 20; n++) await service.succeed('POST', '/notes', { text: 'x'.repeat(500_000) })
  const { hostname, port } = new URL(service.address)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(`GET /notes HTTP/1.1\r\nhost: ${hostname}\r\naccept: application/x-ndjson\r\n\r\n`)
  await once(socket, 'readable')

  await writeFile(service.schemaFile, `${sdl}\ntype Tag { id: ID! }`)
  const outcome = await service.service.reload()

  assert.equal(outcome.kind, 'swapped')
  assert.deepEqual(await service.succeed('GET', '/tags'), [])
  socket.destroy()
})
