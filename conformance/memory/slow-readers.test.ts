// Clients that request much and read nothing: the server closes their connections, and others are not affected.
// stores: sqlite

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { Metrics } from '../../packages/twain/src/http/index.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = 'type Note { id: ID! text: String! }'
const rows = 20
const text = 'x'.repeat(500_000)

test('a client that takes nothing of its answer is disconnected, and one that reads slowly gets all of it', async (t) => {
  const service = await open(t, { timeouts: { headers: 10_000, body: 30_000, send: 1500 } })
  const stalled = await request(service, 1)
  const slow = await request(service, 1)
  let received = 0
  let total = Number.POSITIVE_INFINITY
  slow.once('data', (head) => {
    const bytes = head.toString('latin1')
    total = Number(/content-length: (\d+)/i.exec(bytes)![1]) + bytes.indexOf('\r\n\r\n') + 4
  })
  slow.on('data', (bytes) => {
    received += bytes.length
    slow.pause()
    setTimeout(() => slow.resume(), 20)
  })

  await until(async () => (await slowReaders(service)) === 1)
  while (received < total && !slow.destroyed) await once(slow, 'data')

  assert.equal(received, total)
  assert.equal(await slowReaders(service), 1)
  for (const client of [slow, stalled]) client.destroy()
})

test('replies that wait for their clients stay within limits.unsentBytes, also on connections with many requests', async (t) => {
  const unsentBytes = 30_000_000
  const service = await open(t, { http: { unsentBytes } })
  const clients: Socket[] = []
  for (let n = 0; n < 4; n++) clients.push(await request(service, 3))

  await until(async () => (await slowReaders(service)) >= 2)
  const unsent = Number(/twain_http_unsent_bytes (\d+)/.exec(await metrics(service))![1])
  assert.ok(unsent <= unsentBytes, `${unsent} bytes wait`)
  assert.equal((await service.succeed('GET', '/notes?limit=1')).length, 1)
  for (const client of clients) client.destroy()
})

async function open(t: Parameters<typeof TestService.open>[0], listening: object): Promise<TestService> {
  const metrics = new Metrics()
  t.after(() => metrics.close())
  const service = await TestService.open(t, sdl, {
    metrics: { of: metrics, to: 'open' },
    listening: { metrics, ...listening },
  })
  for (let n = 0; n < rows; n++) await service.succeed('POST', '/notes', { text })
  return service
}

/** Sends requests for all rows at once, and reads nothing. */
async function request({ address }: TestService, times: number): Promise<Socket> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(`GET /notes?limit=${rows} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`.repeat(times))
  return socket
}

async function metrics(service: TestService): Promise<string> {
  return service.succeed('GET', '/metrics')
}

async function slowReaders(service: TestService): Promise<number> {
  return Number(/twain_http_slow_readers_total (\d+)/.exec(await metrics(service))![1])
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20))
}
