// The clock of a server on SQLite is days ahead while a job and a webhook delivery fail: they are tried again when it is right.
// stores: sqlite

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { SimulatedServer } from '../simulate/simulated-server.ts'
import { day, hour, send } from './aged-data.ts'

const sdl = `
type Task @allow { id: ID! }
type Effect @allow { id: ID! task: String! }
`
const code = `export default {
  after: { async Task({ kind, id }, { enqueue }) { if (kind === 'created') await enqueue('work', { task: id }) } },
  jobs: {
    work: {
      async run({ task }, { system, job }) {
        if (job.attempt < 2) throw new Error('not yet')
        await system.write.Effect.create({ task })
      },
    },
  },
}`

for (const runs of [true, false]) {
  test(`what failed while the clock was ahead is tried again when it is right, set ${runs ? 'at run time' : 'before a start'}`, async (t) => {
    const { server, receiver, effects } = await open(t)
    await server.advance(0, { jump: 9 * day })
    receiver.fails = true
    await send(server.address, 'POST', '/tasks', {})
    await server.advance(1000, { exact: true })
    receiver.fails = false
    if (runs) await server.advance(0, { jump: -9 * day })
    else {
      await server.kill()
      server.wall -= 9 * day
      await server.start()
    }
    for (let n = 0; n < 4; n++) await server.advance(hour)
    assert.deepEqual([await effects(), receiver.failed, receiver.received], [1, 1, 1])
  })
}

test('a webhook delivery is not given up because the clock went ahead', async (t) => {
  const { server, receiver } = await open(t)
  receiver.fails = true
  await send(server.address, 'POST', '/tasks', {})
  await server.advance(hour)
  await server.advance(hour, { jump: 9 * day })
  receiver.fails = false
  for (let n = 0; n < 8; n++) await server.advance(hour)
  assert.equal(receiver.received, 1)
})

async function open(t: TestContext) {
  const receiver = { fails: false, failed: 0, received: 0 }
  const listening = createServer((request, response) => {
    if (receiver.fails) receiver.failed++
    else receiver.received++
    request.resume()
    response.writeHead(receiver.fails ? 500 : 204).end()
  })
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const folder = await mkdtemp(join(tmpdir(), 'twain-retries-'))
  await writeFile(join(folder, 'package.json'), '{"type": "module"}')
  await writeFile(join(folder, 'schema.graphql'), sdl)
  await writeFile(join(folder, 'twain.config.ts'), code)
  const server = new SimulatedServer(folder, ['--webhooks-allow-private', 'true'], 1, Date.now())
  t.after(async () => {
    await server.kill()
    listening.closeAllConnections()
    listening.close()
    await rm(folder, { recursive: true, force: true })
  })
  await server.start()
  const authorization = `Bearer ${await server.operatorToken()}`
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/hook`
  const made = await send(server.address, 'POST', '/webhooks', { url, events: ['task.created'] }, { authorization })
  assert.equal(made.status, 201, made.text)
  await server.advance(hour)
  const effects = async () => JSON.parse((await send(server.address, 'GET', '/effects')).text).length as number
  return { server, receiver, effects }
}
