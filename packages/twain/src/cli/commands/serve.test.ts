import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { listenNear } from './serve.ts'

test('a taken port is replaced by a near one, if that is allowed', async (t) => {
  const first = await open(t, 0, false)
  const second = await open(t, first.port, true)
  assert.notEqual(second.port, first.port)
  await assert.rejects(open(t, first.port, false), { code: 'EADDRINUSE' })
})

async function open(t: TestContext, port: number, mayUseOtherPort: boolean) {
  const handle = async () => ({ status: 204, headers: {}, body: null })
  const log = { info() {}, warn() {}, error() {} }
  const server = await listenNear({ handle, host: '127.0.0.1', port, body: 0, log }, mayUseOtherPort)
  t.after(() => server.close())
  return server
}
