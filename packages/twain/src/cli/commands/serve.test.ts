import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { listenNear } from '../commands/serve.ts'

test('a port that is taken gives way to one nearby, where it may', async (t) => {
  const first = await open(t, 0, false)
  const second = await open(t, first.port, true)
  assert.notEqual(second.port, first.port)
  await assert.rejects(open(t, first.port, false), { code: 'EADDRINUSE' })
})

async function open(t: TestContext, port: number, mayMove: boolean) {
  const handle = async () => ({ status: 204, headers: {}, body: null })
  const log = { info() {}, warn() {}, error() {} }
  const server = await listenNear({ handle, host: '127.0.0.1', port, body: 0, log }, mayMove)
  t.after(() => server.close())
  return server
}
