import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { readFileSync } from 'node:fs'
import { createServer, Agent as HttpAgent } from 'node:http'
import { createServer as createSecureServer, Agent as HttpsAgent } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { resolveHostName, type SendOptions, send, urlProblem } from './send.ts'

const message = { headers: { 'content-type': 'application/json' }, body: '{}' }

test('the addresses of a host name are checked, and the connection uses exactly these', async (t) => {
  const { port, came } = await listen(t)
  const lookups: string[] = []
  const to = (addresses: LookupAddress[]) => (name: string, done: (error: null, all: LookupAddress[]) => void) => {
    lookups.push(name)
    done(null, addresses)
  }
  const here = { address: '127.0.0.1', family: 4 }
  const url = `http://receiver.example:${port}/`
  const refused = await send(
    { ...message, url },
    sending(t, { resolve: to([{ address: '8.8.8.8', family: 4 }, here]) }),
  )
  assert.match(refused.error ?? '', /private network \(127\.0\.0\.1\)/)
  const mapped = await send(
    { ...message, url },
    sending(t, { resolve: to([{ address: '::ffff:127.0.0.1', family: 6 }]) }),
  )
  assert.match(mapped.error ?? '', /private network/)
  assert.equal(came(), 0)
  const allowed = await send({ ...message, url }, sending(t, { resolve: to([here]), allowPrivate: true }))
  assert.deepEqual([allowed.status, allowed.error, came()], [204, null, 1])
  assert.deepEqual(lookups, ['receiver.example', 'receiver.example', 'receiver.example'])
})

test('an IP address in the URL is checked too, in every notation', async (t) => {
  const { port, came } = await listen(t)
  for (const host of ['127.0.0.1', '2130706433', '0177.0.0.1', '[::ffff:127.0.0.1]', 'localhost', 'a.localhost']) {
    const { error } = await send({ ...message, url: `http://${host}:${port}/` }, sending(t))
    assert.match(error ?? '', /private network/, host)
  }
  assert.equal(came(), 0)
  assert.match(urlProblem('file:///etc/passwd', true) ?? '', /https/)
  assert.match(urlProblem('http://ann:secret@example.org/', true) ?? '', /password/)
  assert.equal(urlProblem('https://example.org/hook?x=1', false), null)
})

test('a certificate without a trusted issuer is refused', async (t) => {
  const pem = (name: string) =>
    readFileSync(join(import.meta.dirname, '../../../../../conformance/harness/certificates', name))
  const server = createSecureServer({ key: pem('server.key'), cert: pem('server.crt') }, (_request, response) =>
    response.end(),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const { status, error } = await send(
    { ...message, url: `https://127.0.0.1:${port}/` },
    sending(t, { allowPrivate: true }),
  )
  assert.equal(status, null)
  assert.match(error ?? '', /certificate|self-signed/)
})

async function listen(t: TestContext): Promise<{ port: number; came(): number }> {
  let count = 0
  const server = createServer((_request, response) => {
    count++
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { port: (server.address() as AddressInfo).port, came: () => count }
}

function sending(t: TestContext, more: Partial<SendOptions> = {}): SendOptions {
  const agents = { http: new HttpAgent(), https: new HttpsAgent() }
  t.after(() => agents.http.destroy())
  const signal = new AbortController().signal
  return { allowPrivate: false, timeoutMs: 2000, agents, resolve: resolveHostName, clock: Date.now, signal, ...more }
}
